"""Chunks of made-up indexes, small enough to be compared one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanproof.core.chunk_facts import CHUNK_FACTS, pack_chunk
from spanproof.core.digest import Digest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanproof.monitor.drift import Facts


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A row of a manifest in short words."""

    id: str
    text: str
    doc: str = "d"
    source: str = "bytes"
    pipeline: str = "p"
    start: int | None = 0

    @property
    def end(self) -> int | None:
        """Offsets are as long as the text."""
        return None if self.start is None else self.start + len(self.text)


def to_facts(chunks: Iterable[Chunk]) -> Facts:
    """The records in the order of their ids."""
    records = [
        pack_chunk(
            chunk_id=chunk.id,
            doc_id=chunk.doc,
            doc_hash=Digest.of(chunk.source.encode()),
            text_sha256=Digest.of(chunk.text.encode()),
            spans_sha256=None,
            extraction_pipeline=chunk.pipeline,
            start=chunk.start,
            end=chunk.end,
        )
        for chunk in chunks
    ]
    facts = np.frombuffer(b"".join(records), dtype=CHUNK_FACTS)
    return facts[np.lexsort((facts["id_low"], facts["id_high"]))]
