"""Sentences as answers tell them: a true paraphrase of each premise, and a falsehood near to it.

``paraphrases.jsonl`` has sets of a premise, a claim that a careful person signs, and a falsehood in
nearly the same words. Each set is by an author who saw no rule, and was judged before any rule was
made with it in view; since then the rules know all four. Whoever mends rules by a set needs
another one to measure with.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from spanproof.core.verdicts.status import Outcome
from spanproof.ingest import extract
from spanproof.verifier.policies import load_policy
from spanproof.verifier.support.judge import SupportJudge
from spanproof.verifier.verify import verify_pair

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanproof.core.ports import EntailmentModel

_FILE = Path(__file__).with_name("paraphrases.jsonl")


@dataclass(frozen=True, slots=True, kw_only=True)
class Paraphrase:
    """What a source says, what may be told of it, and what may not."""

    set: str
    id: str
    kind: str
    premise: str
    claim: str
    falsehood: str


def read_paraphrases() -> list[Paraphrase]:
    """All of the file."""
    lines = _FILE.read_text(encoding="utf-8").splitlines()
    return [Paraphrase(**json.loads(line)) for line in lines]


def count_outcomes(
    rows: Iterable[Paraphrase], model: EntailmentModel, policy: str
) -> dict[str, dict[str, Counter[str]]]:
    """By set, the outcomes of the claims and of the falsehoods, each against its whole premise."""
    chosen = load_policy(policy)
    found: dict[str, dict[str, Counter[str]]] = {}
    for row in rows:
        counts = found.setdefault(row.set, {"claims": Counter(), "falsehoods": Counter()})
        premise = extract(row.premise.encode(), filename="premise.txt")
        judge = SupportJudge(model, chosen)
        for name, told in (("claims", row.claim), ("falsehoods", row.falsehood)):
            verdict = verify_pair(premise, told, judge, chosen)
            outcome = Outcome.ERROR if verdict is None else verdict.outcome
            counts[name][str(outcome)] += 1
    return found
