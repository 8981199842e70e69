"""Authentication of requests: API keys, sessions and OpenID tokens."""
