"""The columns of a Parquet manifest."""

from __future__ import annotations

from typing import Any

#: Key of the header, as JSON, in the file's key-value metadata.
HEADER_KEY = "spanproof-manifest"
#: Rows of one row group: what is held in memory at once.
GROUP_ROWS = 20_000
REQUIRED = ("chunk_id", "doc_id", "doc_hash", "text_sha256", "extraction_pipeline")


def make_schema() -> Any:  # noqa: ANN401 - an untyped library
    """The Arrow schema; optional fields are null where a row does not have them."""
    import pyarrow as pa

    number, word = pa.int64(), pa.string()
    place = pa.struct(
        [
            ("part", word),
            ("slide", number),
            ("sheet", word),
            ("cell", word),
            ("paragraph", number),
        ]
    )
    return pa.schema(
        [
            pa.field("chunk_id", word, nullable=False),
            pa.field("doc_id", word, nullable=False),
            pa.field("doc_hash", word, nullable=False),
            pa.field("char_start", number),
            pa.field("char_end", number),
            pa.field("text_sha256", word, nullable=False),
            pa.field("extraction_pipeline", word, nullable=False),
            pa.field("extraction_id", word),
            pa.field("spans", pa.list_(pa.list_(number))),
            pa.field("spans_sha256", word),
            pa.field("page_start", number),
            pa.field("page_end", number),
            pa.field("place", place),
            pa.field("text", word),
        ]
    )
