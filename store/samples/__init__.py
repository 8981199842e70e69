"""Answers of production: the chosen ones, their outcomes, and people's labels."""
