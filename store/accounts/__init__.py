"""Who may use a home: its API keys, and the requests under an idempotency key."""
