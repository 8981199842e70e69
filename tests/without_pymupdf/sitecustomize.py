"""Imported by every Python that starts with this folder on its path: there is no PyMuPDF here."""
# ruff: noqa: INP001 - a folder on the path, not a package

import sys

# An import of a module that stands as None fails as if it were not installed.
sys.modules["pymupdf"] = None  # type: ignore[assignment]
