"""Routes about the service itself: health, metrics, keys, configuration, webhooks."""
