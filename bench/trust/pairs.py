"""Labelled pairs of sources that shaped nothing: what each policy lets pass, and at what risk.

Two shares belong together (El-Yaniv and Wiener 2010, "On the foundations of noise-free selective
classification"): the *risk*, how much of what passes is unsupported, and the *coverage*, how much
of what is supported passes. One without the other says little.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.verdicts.status import Outcome
from spanproof.ingest import extract
from spanproof.verifier.policies import load_policy
from spanproof.verifier.support.judge import SupportJudge
from spanproof.verifier.verify import verify_pair
from training.pairs import LABEL_IDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanproof.core.documents.document import Extraction
    from spanproof.core.ports import EntailmentModel
    from spanproof.core.verdicts.verdict import Verdict
    from training.pairs import Pair

#: Pairs that the model reads together.
BATCH = 64
#: Points of the curve: shares of the supported pairs that pass.
COVERAGES = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
#: What keeps a claim from passing although no rule speaks against it: the model's word is not
#: enough. With a better model these are what would pass next.
_MODEL_ALONE = frozenset({"no_certificate", "band"})


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPair:
    """One pair under one policy; ``score`` orders what could pass, 0 for what a rule stops."""

    source: str
    entailed: bool
    contradicted: bool
    passes: bool
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """Of ``pairs``, ``supported`` are entailed; of the ``passed`` some are ``unsupported``."""

    pairs: int
    supported: int
    passed: int
    unsupported: int

    @property
    def risk(self) -> float | None:
        """The unsupported share of passes; None where nothing passes."""
        return self.unsupported / self.passed if self.passed else None

    @property
    def coverage(self) -> float | None:
        """The share of supported pairs that pass; None where none is supported."""
        return (self.passed - self.unsupported) / self.supported if self.supported else None


def judge_pairs(pairs: Sequence[Pair], model: EntailmentModel, policy: str) -> list[JudgedPair]:
    """Verify each pair as a claim that cites its whole premise."""
    chosen = load_policy(policy)
    judged: list[JudgedPair] = []
    for start in range(0, len(pairs), BATCH):
        batch = pairs[start : start + BATCH]
        premises = [_read(pair.premise) for pair in batch]
        judge = SupportJudge(model, chosen)
        judge.read_ahead(
            [(p.text.text, pair.hypothesis) for p, pair in zip(premises, batch, strict=True)]
        )
        judged.extend(
            _to_judged(pair, verify_pair(premise, pair.hypothesis, judge, chosen))
            for premise, pair in zip(premises, batch, strict=True)
        )
    return judged


def _read(premise: str) -> Extraction:
    return extract(premise.encode(), media_type="text/plain", filename="premise.txt")


def _to_judged(pair: Pair, verdict: Verdict | None) -> JudgedPair:
    passes = verdict is not None and verdict.outcome is Outcome.PASS
    score = 0.0
    if verdict is not None and (passes or verdict.support.reason in _MODEL_ALONE):
        # What passes comes first, whatever the model says of it.
        score = (verdict.support.p_entailment or 0.0) + passes
    return JudgedPair(
        source=pair.source,
        entailed=pair.label == LABEL_IDS["entailment"],
        contradicted=pair.label == LABEL_IDS["contradiction"],
        passes=passes,
        score=score,
    )


def measure(judged: Iterable[JudgedPair]) -> Point:
    """Risk and coverage of the policy as it is."""
    rows = list(judged)
    passed = [row for row in rows if row.passes]
    return Point(
        pairs=len(rows),
        supported=sum(row.entailed for row in rows),
        passed=len(passed),
        unsupported=sum(not row.entailed for row in passed),
    )


def measure_sources(judged: Iterable[JudgedPair]) -> dict[str, Point]:
    """The same source by source."""
    rows: dict[str, list[JudgedPair]] = defaultdict(list)
    for row in judged:
        rows[row.source].append(row)
    return {source: measure(own) for source, own in sorted(rows.items())}


def measure_contradictions(judged: Iterable[JudgedPair]) -> tuple[int, int]:
    """How many contradicted pairs pass, and how many there are."""
    rows = [row for row in judged if row.contradicted]
    return sum(row.passes for row in rows), len(rows)


def draw_curve(judged: Sequence[JudgedPair]) -> list[tuple[float, float | None]]:
    """The risk at each coverage if the model's word were enough from some threshold on.

    None where rules stop too much for the coverage to be reached at any threshold.
    """
    rows = sorted((row for row in judged if row.score), key=lambda row: -row.score)
    supported = sum(row.entailed for row in judged)
    curve: list[tuple[float, float | None]] = []
    for coverage in COVERAGES:
        held = 0
        risk = None
        for count, row in enumerate(rows, start=1):
            held += row.entailed
            if held >= coverage * supported:
                risk = (count - held) / count
                break
        curve.append((coverage, risk))
    return curve
