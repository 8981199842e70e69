"""Who may use a home: its API keys, and what was asked under an idempotency key."""
