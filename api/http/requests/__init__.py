"""What routes read from a request: bodies, parameters, headers and access."""
