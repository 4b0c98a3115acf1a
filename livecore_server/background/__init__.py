"""Background tasks: due work, flushing the short memory, webhook delivery."""
