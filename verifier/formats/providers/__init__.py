"""Importers, one module a provider: its payload → Draft."""
