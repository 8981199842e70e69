"""Bytes → Extraction: refuse what cannot be read, read the rest into one text with its layout.

Importing this package imports no PDF library: that happens in the first extraction of a PDF.
"""

from spanproof.ingest.extraction import extract
from spanproof.ingest.limits import Limits

__all__ = ["Limits", "extract"]
