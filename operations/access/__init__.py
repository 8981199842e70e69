"""API keys, and who a request is from."""
