"""The media types that are read, and how their bytes begin."""

from __future__ import annotations

PDF = "application/pdf"
TEXT = "text/plain"
MARKDOWN = "text/markdown"
HTML = "text/html"
XML = "application/xml"
CSV = "text/csv"
TSV = "text/tab-separated-values"
EML = "message/rfc822"
MSG = "application/vnd.ms-outlook"
RTF = "application/rtf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
ODT = "application/vnd.oasis.opendocument.text"
EPUB = "application/epub+zip"
#: Kept as they are: their bytes' own characters.
PLAIN_TYPES = (TEXT, MARKDOWN)
#: Among these the bytes leave a choice.
TEXT_TYPES = (TEXT, MARKDOWN, HTML, XML, CSV, TSV, EML)
#: As many bytes as detection looks at, the directories of ZIP and OLE containers apart.
HEAD_BYTES = 4096
#: The next step wherever a type is refused.
FORMATS_HINT = (
    "Give a PDF, DOCX, PPTX, XLSX, HTML, EML, MSG, ODT, EPUB, RTF, CSV, XML, .txt or .md file."
)
ZIP_MAGIC = b"PK\x03\x04"
OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
RTF_MAGIC = b"{\\rtf"
