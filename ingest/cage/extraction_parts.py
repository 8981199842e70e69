"""An extraction as it crosses from a child: the stored parts, but all columns as they are.

Deflating them would cost the child a third of its time, and the store deflates them anyway.
Every invariant is checked again on the parent's side, as for bytes from a disk.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

import numpy as np

from spanproof.core.documents.extraction_record import ExtractionRecord, from_record, to_record
from spanproof.core.documents.layout import Layout
from spanproof.core.errors import IntegrityError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.documents.document import Extraction

_COLUMNS = tuple(field.name for field in fields(Layout))
#: The third part: whether a layout follows.
_WITH_LAYOUT, _NO_LAYOUT = b"+", b"-"
_TYPES = {"run_cos": np.float32, "run_sin": np.float32, "flags": np.uint16}


def to_parts(extraction: Extraction) -> list[bytes]:
    """Meta, text, and a part for each column: the layout's, in their order, then the blocks'."""
    beside: list[bytes] = []
    record = to_record(replace(extraction, layout=None), beside)
    layout = extraction.layout
    columns = [] if layout is None else [getattr(layout, name).tobytes() for name in _COLUMNS]
    return [
        record.meta,
        record.text,
        _NO_LAYOUT if layout is None else _WITH_LAYOUT,
        *columns,
        *beside,
    ]


def from_parts(parts: Sequence[bytes]) -> Extraction:
    """Rebuild the extraction; raise IntegrityError or ValueError where the parts do not agree."""
    meta, text, mark, *columns = parts
    count = {_NO_LAYOUT: 0, _WITH_LAYOUT: len(_COLUMNS)}.get(mark)
    if count is None:
        msg = f"unexpected mark of a layout: {mark[:20]!r}"
        raise ValueError(msg)
    extraction = from_record(ExtractionRecord(meta=meta, text=text, layout=b""), columns[count:])
    if not count:
        return extraction
    arrays = {
        name: np.frombuffer(column, _TYPES.get(name, np.int32))
        for name, column in zip(_COLUMNS, columns[:count], strict=True)
    }
    layout = Layout(**arrays)
    if len(layout) != len(extraction.text):
        msg = f"Expected a layout of {len(extraction.text)} characters, got {len(layout)}."
        raise IntegrityError(msg, hint="Report the document: it may attack the parser.")
    return replace(extraction, layout=layout)
