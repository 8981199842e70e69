"""Webhooks, their messages, and the result of each delivery attempt."""
