"""Answers of production: who was to be verified, what was found, and what people said of it."""
