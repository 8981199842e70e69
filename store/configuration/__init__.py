"""Configuration that is changed while the service runs."""
