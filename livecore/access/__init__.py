"""Access control: API keys, permission sets, environments, and the audit trail."""
