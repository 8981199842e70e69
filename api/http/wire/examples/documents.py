"""The one-line document of the examples: ingested, shown, searched and cut into chunks."""

from __future__ import annotations

from typing import Any

DOC_HASH = "sha256:b18072d3857977dc9463a96d93e37ab0dcab90fbb00a7baa0c7191be1d274ceb"
EXTRACTION_ID = "sha256:2d360693b64bca5a680b40251e8afe20cbe3659f4b3a9a74fc94beb91e1f77c3"
_PIPELINE_DIGEST = "sha256:95820346253ce1efb93a3a43f9f1497ef996365511c5d5aa528ee61b0d1ad725"
_LINE_DIGEST = "sha256:ee9655b1c9f5d9cab4f39e0f12fec8b1dc705a9ef3ae4d26a5db8c266337e136"
MOMENT = "2026-11-20T18:09:23Z"
BOX = [218.12, 88.18, 341.0, 103.29]
QUAD = [218.12, 753.82, 341.0, 753.82, 341.0, 738.71, 218.12, 738.71]

PUT_QUERY = {
    "doc_id": "supply-agreement",
    "title": "Supply agreement",
    "filename": "supply-agreement.pdf",
}

#: The document's SHA-256 as RFC 9530 writes it.
DIGEST_FIELD = "sha-256=:sYBy04V5d9yUY6ltk+N6sNyrkPuwCnuqDHGRvh0nTOs=:"
INGESTED: dict[str, Any] = {
    "path": "supply-agreement.pdf",
    "doc_id": "supply-agreement",
    "doc_hash": DOC_HASH,
    "media_type": "application/pdf",
    "bytes": 678,
    "extraction_id": EXTRACTION_ID,
    "extraction_pipeline": "pymupdf@2.0+canon-1+flags-3+glyphs-1",
    "pipeline_digest": _PIPELINE_DIGEST,
    "text_sha256": "sha256:f792763cd6794edf11b3ba4291d54f28abf55032e537fde555e24f965af2be02",
    "characters": 76,
    "pages": 1,
    "text_source": "born_digital",
    "flags": {},
    "status": "ok",
    "problem": None,
    "sandbox": "landlock+seccomp",
    "witness": None,
}
DOCUMENT: dict[str, Any] = {name: value for name, value in INGESTED.items() if name != "path"} | {
    "doc_ids": ["supply-agreement", DOC_HASH],
    "title": "Supply agreement",
    "added_at": MOMENT,
    "extraction_ids": [EXTRACTION_ID],
    "source_state": None,
}
DOCUMENT_LIST: dict[str, Any] = {"documents": [DOCUMENT], "next_cursor": None}
PLACE: dict[str, Any] = {
    "doc_hash": DOC_HASH,
    "extraction_id": EXTRACTION_ID,
    "char_start": 29,
    "char_end": 54,
    "text": "within four business days",
    "pages": [
        {
            "page": 1,
            "page_label": None,
            "bbox": BOX,
            "quads": [QUAD],
            "rotation": 0,
            "view_box": [0.0, 0.0, 595.0, 842.0],
            "user_unit": 1.0,
        }
    ],
    "places": [],
    "cells": [],
}
MATCHES: dict[str, Any] = {
    "doc_hash": DOC_HASH,
    "extraction_id": EXTRACTION_ID,
    "status": "EXACT",
    "matches": [
        {
            "char_start": 29,
            "char_end": 54,
            "text": "within four business days",
            "page": 1,
            "folds": [],
            "codes": [],
            "cells": [],
        }
    ],
    "nearest": [],
}
CHUNK_LIST: dict[str, Any] = {
    "doc_id": "supply-agreement",
    "doc_hash": DOC_HASH,
    "extraction_id": EXTRACTION_ID,
    "extraction_pipeline": INGESTED["extraction_pipeline"],
    "chunker": {"name": "chunk-1", "by": "structure", "max_characters": 1000, "overlap": 0},
    "total": 1,
    "chunks": [
        {
            "chunk_id": "chunk-bf2b1e0c3aab4b6d1de53a7c4a2c1b57c1ef1f0a2f3f0fc4c3a3ea5f3c3c9d10",
            "doc_id": "supply-agreement",
            "doc_hash": DOC_HASH,
            "char_start": 0,
            "char_end": 75,
            "text_sha256": _LINE_DIGEST,
            "extraction_pipeline": INGESTED["extraction_pipeline"],
            "extraction_id": EXTRACTION_ID,
            "spans": [[0, 75]],
            "page_start": 1,
            "page_end": 1,
            "text": "Defective goods are replaced within four business days of a written notice.",
        }
    ],
    "next_cursor": None,
}
