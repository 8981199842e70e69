"""Frozen values that every other package shares: no IO, no clock, no heavy imports."""
