"""Anthropic Messages, whole or streamed."""
