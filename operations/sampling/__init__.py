"""Answers of production: taken in, drawn, verified, watched, and shown to people."""
