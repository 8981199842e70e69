"""Verdicts, spans and lists in the forms that people and programs read."""
