"""Use cases that the command line and HTTP share: each takes the services and returns a report."""
