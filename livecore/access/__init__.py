"""Who may ask for what: API keys, permission sets, environments, and the audit trail."""
