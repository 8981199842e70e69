"""The commands ``index …`` and ``drift``."""
