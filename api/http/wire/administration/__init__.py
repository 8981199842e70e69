"""Shapes of the routes about the service itself."""
