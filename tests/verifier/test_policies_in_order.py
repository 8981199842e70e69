"""No stricter policy is kinder: strict is never better than review, nor review than balanced."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.verdicts.status import Outcome
from spanproof.ingest import extract
from spanproof.verifier.entailment import load_model
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.policies import load_policy
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, make_library
from tests.spread import thin_out
from tests.verifier.pair_models import PairModel

if TYPE_CHECKING:
    from spanproof.core.ports import EntailmentModel

MILDEST_FIRST = ("balanced", "review", "strict")
_SEVERITY = {"pass": 0, "review": 1, "fail": 2}
_BEST_FIRST = (Outcome.PASS, Outcome.REVIEW, Outcome.ERROR, Outcome.FAIL)
PAGE = """<html><body><h1>Payment terms</h1><p>Refunds are paid within four business days of the
request. Returns are free of charge.</p><h2>Notices</h2><p>Notices are sent by post. The tenant
repairs the roof at its own cost. It is due every spring.</p></body></html>"""
DOCUMENT = extract(PAGE.encode(), filename="terms.html")
QUOTES = (
    "Refunds are paid within four business days of the\nrequest.",
    "Returns are free of charge.",
    "Notices are sent by post.",
    "The tenant\nrepairs the roof at its own cost.",
    "It is due every spring.",
    "Payment terms",
    "four",
)
CLAIMS = (
    "Refunds take four business days {}.",
    "Refunds are quick and returns are free {}.",
    "The tenant repairs the roof, but notices are sent by post {}.",
    "Notices are not sent by post {}.",
    "It is due every spring {}.",
    "Yes {}.",
    "No, it may not {}.",
    "Four business days {}.",
    "Four {}.",
    "The terms are in force {}.",
    "Hello! Refunds take nine days {}.",
    "The seller bribed a minister. Returns are free {}.",
    "Returns are “free of charge” {}.",
)
QUESTIONS = (None, "How long do refunds take?", "May the tenant repair the roof?")
#: Where decisions turn, and what lies between.
PROBABILITIES = (0.02, 0.2, 0.299, 0.3, 0.301, 0.42, 0.45, 0.47, 0.5, 0.52, 0.56, 0.6, 0.65, 0.8)


def _judge(answer: dict[str, Any], model: EntailmentModel, policy: str) -> tuple[int, ...]:
    parsed = parse_answer(json.dumps(answer).encode())
    block = verify(
        parsed.answer,
        make_library(DOCUMENT),
        model,
        load_policy(policy),
        verified_at=MOMENT,
        imported=parsed.imported,
    )
    outcomes = [block.result, *(verdict.outcome for verdict in block.verdicts)]
    return tuple(_BEST_FIRST.index(outcome) for outcome in outcomes)


def _make_answer(draw: random.Random) -> dict[str, Any]:
    count = draw.choice((1, 1, 2, 2, 3, 4))
    marks = "".join(f"[{number}]" for number in range(1, count + 1))
    text = DOCUMENT.text.text
    citations = []
    for number, quote in enumerate(draw.sample(QUOTES, count), 1):
        words = quote if quote in text else " ".join(quote.split())
        start = text.index(words)
        span: dict[str, object] = {"text": " ".join(words.split())}
        if draw.random() < 0.7:
            span |= {"char_start": start, "char_end": start + len(words)}
        citation = {"anchor": number, "doc_hash": str(DOCUMENT.document.doc_hash), "span": span}
        citations.append(citation)
    answer = {"answer": draw.choice(CLAIMS).format(marks), "citations": citations}
    question = draw.choice(QUESTIONS)
    return answer | ({"question": question} if question else {})


def _make_model(seed: int) -> PairModel:
    def say(premise: str, claim: str) -> tuple[float, float, float]:
        draw = random.Random(f"{seed} {premise} {claim}")  # noqa: S311 - a script, not a secret
        entailed = draw.choice(PROBABILITIES)
        contradicted = min(draw.choice(PROBABILITIES), 1 - entailed)
        return entailed, 1 - entailed - contradicted, contradicted

    return PairModel(say)


def test_each_code_weighs_more_in_a_stricter_policy() -> None:
    effects = [dict(load_policy(name).effects) for name in MILDEST_FIRST]
    for code in set().union(*effects):
        weights = [_SEVERITY[each.get(code, "pass")] for each in effects]
        assert weights == sorted(weights), code
    policies = [load_policy(name) for name in MILDEST_FIRST]
    for milder, stricter in pairwise(policies):
        assert milder.review_above <= stricter.review_above
        assert milder.review_below >= stricter.review_below
        assert milder.contradiction_threshold >= stricter.contradiction_threshold
        assert set(milder.folds) >= set(stricter.folds)
        assert milder.max_span_chars >= stricter.max_span_chars


@pytest.mark.parametrize("seed", thin_out(range(20), every=6))
def test_no_stricter_policy_is_kinder_whatever_the_model_says(seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311 - a script, not a secret
    for _ in range(25):
        answer = _make_answer(draw)
        model = _make_model(draw.randrange(1000))
        found = [_judge(answer, model, policy) for policy in MILDEST_FIRST]
        for milder, stricter in pairwise(found):
            assert all(a <= b for a, b in zip(milder, stricter, strict=True)), (answer, found)


@pytest.mark.long
@pytest.mark.model
def test_no_stricter_policy_is_kinder_with_the_real_model() -> None:
    model = load_model()
    draw = random.Random(7)  # noqa: S311 - a script, not a secret
    try:
        for _ in range(40):
            answer = _make_answer(draw)
            found = [_judge(answer, model, policy) for policy in MILDEST_FIRST]
            for milder, stricter in pairwise(found):
                assert all(a <= b for a, b in zip(milder, stricter, strict=True)), (answer, found)
    finally:
        model.close()
