"""The commands ``audit …``."""
