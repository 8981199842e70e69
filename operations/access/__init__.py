"""API keys, and the sender of a request."""
