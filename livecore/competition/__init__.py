"""Competition: events with windows and attempts, milestones, and leaderboards."""
