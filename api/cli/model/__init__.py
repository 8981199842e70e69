"""The commands ``model …``, ``entail`` and ``eval``."""
