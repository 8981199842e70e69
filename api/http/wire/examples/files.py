"""Responses that are files, for the OpenAPI document: text in full or how the bytes begin.

A character of a binary example is one byte.
"""

from __future__ import annotations

from typing import Any

LINE = "Defective goods are replaced within four business days of a written notice."
METRICS = (
    "# HELP spanproof_verifications_total Answers verified, by result.\n"
    "# TYPE spanproof_verifications_total counter\n"
    'spanproof_verifications_total{result="pass"} 1.0\n'
)
PROOF = (
    "c2sp.org/tlog-proof@v1\nindex 2\nMSsXU0frJWsLP4EnPAb16jjg20Sx1TJbu+iSmzr5qD8=\n\n"
    "t-7400034d0afa.spanproof.internal\n3\nYGdaogN76rCWGpteKQvA68gwMGB/fNn49WojH13kvZ0=\n\n"
    "— t-7400034d0afa.spanproof.internal 8pIh6BZNydb8fhtCh9+SJVAx…\n"
)


def describe_text(text: str) -> dict[str, Any]:
    """A response whose text is shown."""
    return {"schema": {"type": "string"}, "example": text}


def describe_file(name: str, beginning: str) -> dict[str, Any]:
    """A response of bytes, with one example of that name."""
    schema = {"type": "string", "format": "binary"}
    return {"schema": schema, "examples": {name: {"summary": name, "value": beginning}}}


PAGE = describe_file("A page as PNG", "\x89PNG\r\n\x1a\n…")
PACK = describe_file("An evidence pack as ZIP", "PK\x03\x04…")
ROWS = describe_file("Rows as Parquet", "PAR1…")
TILE = describe_file("A bundle of entries: the length of each, two bytes, before it", "\x01…")

_OFFICE = "application/vnd.openxmlformats-officedocument"
#: The content of a document's source by its media type.
SOURCES: dict[str, dict[str, Any]] = {
    "application/pdf": describe_file("A PDF", "%PDF-1.7\n…"),
    "text/plain": describe_file("Plain text", LINE),
    "text/markdown": describe_file("Markdown", f"# Warranty\n\n{LINE}\n"),
    "text/html": describe_file("A page of HTML", f"<!doctype html>\n<p>{LINE}</p>\n"),
    "application/xml": describe_file("XML", f"<contract><clause>{LINE}</clause></contract>\n"),
    "text/csv": describe_file("A table", "goods,days\r\ndefective,4\r\n"),
    "text/tab-separated-values": describe_file("A table", "goods\tdays\ndefective\t4\n"),
    "message/rfc822": describe_file("A message", f"Subject: Warranty\r\n\r\n{LINE}\r\n"),
    "application/vnd.ms-outlook": describe_file("A message", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1…"),
    f"{_OFFICE}.wordprocessingml.document": describe_file("A text document", "PK\x03\x04…"),
    f"{_OFFICE}.presentationml.presentation": describe_file("Slides", "PK\x03\x04…"),
    f"{_OFFICE}.spreadsheetml.sheet": describe_file("A workbook", "PK\x03\x04…"),
    "application/vnd.oasis.opendocument.text": describe_file("A text document", "PK\x03\x04…"),
    "application/epub+zip": describe_file("A book", "PK\x03\x04…"),
    "application/rtf": describe_file("A text document", "{\\rtf1…"),
}
