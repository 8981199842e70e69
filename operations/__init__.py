"""Use cases that the command line and HTTP share: each takes a context and returns a report."""
