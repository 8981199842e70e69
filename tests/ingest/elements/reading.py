"""Containers drawn by a test, and what a reader of this folder makes of them."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

from spanproof.core.digest import Digest
from spanproof.core.documents.document import Document
from spanproof.core.errors import ExtractionError
from spanproof.ingest.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.core.documents.document import Extraction
    from spanproof.ingest.elements import Reader


def pack(members: Mapping[str, bytes | str]) -> bytes:
    """A ZIP container of these members, the same bytes every time."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def read_with(
    reader: Reader, data: bytes, media_type: str, limits: Limits | None = None
) -> Extraction:
    """Give bytes to a reader as the door would."""
    document = Document(doc_hash=Digest.of(data), media_type=media_type, byte_length=len(data))
    return reader(document, data, limits or Limits())


def ends_by_name(reader: Reader, data: bytes, media_type: str) -> bool:
    """Whether damaged bytes end in blocks or in a refusal with a next step; all else raises."""
    try:
        extraction = read_with(reader, data, media_type)
    except ExtractionError as error:
        return bool(error.hint)
    return bool(extraction.blocks)


def list_blocks(extraction: Extraction) -> list[tuple[str, str]]:
    """Kind and text of every block."""
    return [(block.kind, extraction.text.slice(block.span)) for block in extraction.blocks]
