"""The identity of a reader's result: its libraries, separators and revision."""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING

from spanproof.core import canonical_json
from spanproof.core.documents.document import Pipeline
from spanproof.ingest.assembly.characters import CANON
from spanproof.ingest.elements.library import PATCH, unstructured_version
from spanproof.ingest.elements.writer import CELL_END, LINE_END, PAGE_END

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Of the readers on unstructured; it changes whenever one of them would give another text.
REVISION = "1"


def unstructured_pipeline(
    name: str,
    libraries: Sequence[str] = (),
    *,
    visibility: str | None = None,
    revision: str = REVISION,
) -> Pipeline:
    """The pipeline of one format; ``libraries`` are the distributions that read it with us.

    ``visibility`` names what decides which characters are flagged as not seen; ``revision`` counts
    the changes of a reader that changed by itself.
    """
    versions = {library: metadata.version(library) for library in libraries}
    version = unstructured_version()
    config: dict[str, object] = {
        "engine": {"unstructured": version, **versions},
        "name": f"unstructured-{name}",
        "normaliser": CANON,
        "patch": PATCH,
        "reader": revision,
        "separators": {"cell": CELL_END, "line": LINE_END, "page": PAGE_END},
    }
    if visibility is not None:
        config["visibility"] = visibility
    return Pipeline(
        name=f"unstructured-{name}@{version}+{CANON}",
        config_json=canonical_json.dumps(config).decode("utf-8"),
    )
