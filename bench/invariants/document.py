"""One document checked against the invariants, in families of checks.

A child of the parser may be asked for one family alone: a page that takes too long to draw then
costs only its own family.
"""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, get_args

from bench.invariants.cross_check import check_i16
from bench.invariants.finding import Finding
from bench.invariants.frames import check_i6
from bench.invariants.geometry import check_i7, check_i8
from bench.invariants.growth import check_i14
from bench.invariants.ink import check_i15
from bench.invariants.metamorphic import check_i12, check_i13
from bench.invariants.repeat import check_i11
from bench.invariants.structure import check_i1, check_i2, check_i10
from bench.invariants.text import check_i3, check_i5, check_i9
from spanproof.core.errors import ExtractionError
from spanproof.ingest.engine.choice import load_engine
from spanproof.ingest.extraction import extract
from spanproof.ingest.media_type import PDF

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from spanproof.core.documents.document import Extraction
    from spanproof.ingest.engine.protocol import Engine
    from spanproof.ingest.limits import EngineName, Limits

Family = Literal["reading", "alone", "changes", "pictures", "cross_check", "growth"]
FAMILIES: tuple[Family, ...] = get_args(Family)

#: What each family finds, in order.
INVARIANTS_OF: Mapping[Family, tuple[str, ...]] = MappingProxyType(
    {
        "reading": ("I1", "I2", "I3", "I5", "I6", "I7", "I8", "I9", "I10"),
        "alone": ("I11",),
        "changes": ("I12", "I13"),
        "pictures": ("I15",),
        "cross_check": ("I16",),
        "growth": ("I14",),
    }
)
_CHECKS = (
    check_i1,
    check_i2,
    check_i3,
    check_i5,
    check_i6,
    check_i7,
    check_i8,
    check_i9,
    check_i10,
)
#: The families that are checked on a document of each kind; growth is measured on a few only.
PDF_FAMILIES: tuple[Family, ...] = ("reading", "alone", "changes", "pictures", "cross_check")
OTHER_FAMILIES: tuple[Family, ...] = ("reading",)


def check_document(
    data: bytes,
    families: Sequence[Family],
    *,
    filename: str | None = None,
    limits: Limits,
    engine: EngineName = "mupdf",
) -> tuple[Finding, ...]:
    """Read a document and check it by some families; raise ExtractionError if it cannot be read.

    Only a PDF has cases of other families than ``reading``.
    """
    extraction = extract(data, filename=filename, limits=limits, engine=engine)
    is_pdf = extraction.document.media_type == PDF
    reader = load_engine(engine) if is_pdf else None
    found: list[Finding] = []
    for family in families:
        if family == "reading":
            found.extend(check(extraction) for check in _CHECKS)
        elif reader is not None:
            found.extend(_check(extraction, data, reader, limits, family))
    return tuple(found)


def _check(
    extraction: Extraction, data: bytes, engine: Engine, limits: Limits, family: Family
) -> Iterator[Finding]:
    read = (extraction, data, engine, limits)
    checks: dict[Family, dict[str, Callable[[], Finding]]] = {
        "alone": {"I11": partial(check_i11, *read)},
        "changes": {"I12": partial(check_i12, *read), "I13": partial(check_i13, *read)},
        "pictures": {"I15": partial(check_i15, *read[:3])},
        "cross_check": {"I16": partial(check_i16, *read)},
        "growth": {"I14": partial(check_i14, *read[1:])},
    }
    for name, check in checks[family].items():
        try:
            yield check()
        except ExtractionError as error:
            # A second reader or a changed copy failed: that is no finding about this extraction.
            yield Finding.skip(name, "documents", error.message)
