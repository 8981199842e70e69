"""Engines that read PDF, behind one Protocol; the rest of the package knows none by name."""
