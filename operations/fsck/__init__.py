"""Consistency checks of logs, stores and evidence packs."""
