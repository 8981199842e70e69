"""Counters for Prometheus; they never hold a word of a document."""
