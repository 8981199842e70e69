"""Connections, transactions, column types and cursors: what every table of the store uses."""
