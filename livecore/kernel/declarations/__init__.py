"""What an area declares: its tables and events, jobs, timeline, and what the player tools need to know."""
