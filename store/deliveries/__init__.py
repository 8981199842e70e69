"""Webhooks, what they are told of, and how each try to tell them went."""
