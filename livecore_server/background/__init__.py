"""What runs beside the requests: due work, flushing the short memory, webhook delivery."""
