"""The pytest plugin that comes with the distribution: pytest loads it by its entry point."""
