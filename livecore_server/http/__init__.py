"""HTTP: from a socket to the application and back."""
