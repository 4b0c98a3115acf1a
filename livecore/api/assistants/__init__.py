"""The operations of members as tools of assistants."""
