"""unstructured, loaded once and kept offline: the only place that imports it.

As installed it reports home on import and fetches a spaCy model at the first paragraph. Both are
stopped here: by its own switches before the import, and by a blank English pipeline that ends
sentences at full stops. Texts are the same; guesses that need verbs fall back to plain text.
"""

from __future__ import annotations

import os
import warnings
from functools import cache
from importlib import import_module, metadata
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import EngineUnavailableError
from spanproof.ingest.media_type import CSV, DOCX, EML, HTML, MSG, PPTX, TSV, XLSX, XML

if TYPE_CHECKING:
    from collections.abc import Mapping

#: In every pipeline of unstructured.
PATCH = "sentencizer"
_SWITCHES = {
    "DO_NOT_TRACK": "1",
    "SCARF_NO_ANALYTICS": "1",
    "UNSTRUCTURED_DISABLE_NOTICE": "1",
    "HF_HUB_OFFLINE": "1",
}
_PARTITIONERS = {
    DOCX: "docx",
    PPTX: "pptx",
    XLSX: "xlsx",
    HTML: "html",
    XML: "xml",
    CSV: "csv",
    TSV: "tsv",
    EML: "email",
    MSG: "msg",
}


def unstructured_version() -> str:
    """The installed release."""
    return metadata.version("unstructured")


@cache
def load_unstructured() -> Mapping[str, Any]:
    """The partitioners by media type; raise EngineUnavailableError where the patch does not fit."""
    os.environ.update(_SWITCHES)
    with warnings.catch_warnings():
        # Deprecations inside spaCy and its neighbours are not ours to answer.
        warnings.simplefilter("ignore")
        # By name: neither needs to be read by a type checker.
        spacy: Any = import_module("spacy")
        tokenize: Any = import_module("unstructured.nlp.tokenize")
        if not callable(getattr(tokenize, "_get_nlp", None)):
            msg = (
                "Expected unstructured.nlp.tokenize._get_nlp, the function that would fetch a "
                f"model, got a release without it ({unstructured_version()})."
            )
            raise EngineUnavailableError(msg, hint="Install unstructured==0.27.32.")
        pipeline = spacy.blank("en")
        pipeline.add_pipe("sentencizer")
        # Its private name, because the library has no public switch.
        tokenize._get_nlp = lambda: pipeline  # noqa: SLF001
        return MappingProxyType(
            {
                media_type: getattr(
                    import_module(f"unstructured.partition.{name}"), f"partition_{name}"
                )
                for media_type, name in _PARTITIONERS.items()
            }
        )
