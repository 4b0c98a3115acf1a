"""The ground floor: storage port, unit of work, time, ids, errors, configuration. It knows no feature."""
