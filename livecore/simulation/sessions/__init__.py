"""What virtual players do in a session, by area; each is a generator that yields how many seconds it waits."""
