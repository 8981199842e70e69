"""Whether OCR can run here, and the choice that its tests read by."""

from __future__ import annotations

import os

import pytest

from spanproof.core.errors import OcrUnavailableError
from spanproof.ingest.limits import OcrChoice
from spanproof.ingest.ocr import find_tessdata

CHOICE = OcrChoice(dpi=150)


def _has_data() -> bool:
    try:
        find_tessdata(CHOICE)
    except OcrUnavailableError:
        return False
    return True


needs_data = pytest.mark.skipif(
    not _has_data() and not os.environ.get("SPANPROOF_REQUIRE_SERVICES"),
    reason="Tesseract's language data is not installed (Debian: tesseract-ocr-eng)",
)
