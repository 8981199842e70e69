"""Small real values for tests: extractions of plain text, libraries, and a model with a script."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from spanproof.core.digest import Digest
from spanproof.core.documents.document import (
    CharacterCounts,
    Document,
    DocumentName,
    Extraction,
    Library,
    Page,
    Pipeline,
    Source,
)
from spanproof.core.span import Span
from spanproof.core.text import CanonicalText
from spanproof.core.verdicts.calibration import CalibrationRecord
from spanproof.core.verdicts.groups import GROUPS
from spanproof.core.verdicts.model import Entailment, ModelIdentity
from spanproof.verifier.policies import NAMES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MOMENT = datetime(2026, 11, 20, 14, 0, tzinfo=UTC)


def make_extraction(text: str, *, pipeline: str = "plain@1", scanned: bool = False) -> Extraction:
    """An extraction of plain text: one page, no layout."""
    content = text.encode("utf-8")
    return Extraction(
        document=Document(
            doc_hash=Digest.of(content), media_type="text/plain", byte_length=len(content)
        ),
        pipeline=Pipeline(name=pipeline, config_json=f'{{"name":"{pipeline}"}}'),
        text=CanonicalText.of(text),
        pages=(
            Page(
                number=1,
                label=None,
                span=Span(0, len(text)),
                frame=None,
                text_source="none" if scanned else "born_digital",
                counts=CharacterCounts(characters=len(text)),
            ),
        ),
        layout=None,
    )


def make_library(
    *extractions: Extraction, names: Mapping[str, Extraction] | None = None
) -> Library:
    """A library of these documents; ``names`` maps doc_ids to them."""
    return Library(
        sources=tuple(Source(document=e.document, extractions=(e,)) for e in extractions),
        names=tuple(
            DocumentName(doc_id=doc_id, doc_hash=e.document.doc_hash, since=MOMENT)
            for doc_id, e in (names or {}).items()
        ),
    )


def make_record(*, weights: Digest, **given: Any) -> CalibrationRecord:
    """The record of a calibration that speaks for every answer that these weights judge."""
    fields: dict[str, Any] = {
        "name": "scripted",
        "digest": Digest.of(b"calibration"),
        "weights_sha256": weights.hex,
        "labelled_sha256": Digest.of(b"labelled").hex,
        "n": 400,
        "made_on": MOMENT.date(),
    }
    return CalibrationRecord(**(fields | given))


#: Certificates for every group: what such a model says is enough, whatever the words are.
CERTIFIED = tuple((f"{policy}/{group}", 0.5) for policy in NAMES for group in GROUPS)


class ScriptedModel:
    """Says what the script says of a premise; anything else is neutral. For the procedure's tests.

    The real model is tested where its judgement matters; here only what is made of it matters.
    """

    def __init__(self, script: Mapping[str, tuple[float, float, float]] | None = None) -> None:
        self._script = script
        self.asked: list[tuple[str, str]] = []
        self.confirmed: list[tuple[str, str]] = []
        self.identity = ModelIdentity(
            name="scripted",
            weights_digest=Digest.of(b"scripted"),
            runtime="test",
            calibration="none",
            threshold=0.5,
            labels=("entailment", "neutral", "contradiction"),
            thresholds=CERTIFIED,
            record=make_record(weights=Digest.of(b"scripted")),
        )

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """Look each premise up; without a script everything is entailed."""
        self.asked.extend(pairs)
        return [self._say(premise) for premise, _ in pairs]

    def confirm(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """The script is its own canonical run."""
        self.confirmed.extend(pairs)
        return [self._say(premise) for premise, _ in pairs]

    def close(self) -> None:
        """It holds nothing."""

    def _say(self, premise: str) -> Entailment:
        default = (0.97, 0.02, 0.01) if self._script is None else (0.1, 0.85, 0.05)
        p_entailment, p_neutral, p_contradiction = (self._script or {}).get(premise, default)
        return Entailment(
            reason=None,
            p_entailment=p_entailment,
            p_neutral=p_neutral,
            p_contradiction=p_contradiction,
            windows=1,
            coverage=1.0,
            evidence=Span(0, len(premise)),
            logits=tuple(
                math.log(max(probability, 1e-9))
                for probability in (p_entailment, p_neutral, p_contradiction)
            ),
        )
