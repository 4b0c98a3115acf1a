"""The sections of the report, by subject; each is a function of the outcome."""
