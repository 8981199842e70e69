"""Backups of a whole installation, and what makes one of them a running store again."""
