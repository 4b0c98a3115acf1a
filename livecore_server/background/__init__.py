"""Background tasks: due work, flushing the ephemeral state, webhook delivery."""
