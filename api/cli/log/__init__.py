"""The commands ``log …``."""
