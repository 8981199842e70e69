"""Post-hoc attribution: the true premise of a claim hidden among nine others of the same kind.

``python -m bench.attribution --data DIR [--limit N]``. DIR holds ``nli/dev.jsonl.gz``; used are its
rows of expert-judged attributions (ExpertQA, AttributionBench) that are labelled entailment, each
claim with its own premise and nine drawn from rows of other documents (seeded). Recall is the share
of claims whose references hold a span of the true premise; precision that of the claims with a
reference whose first span lies in it. ``proposed`` counts references and proposals alike: spans
that lack no more than a certificate of the model (``no_certificate``). Beside it, in the same run:
the place of the best lexical window alone, which always answers. Intervals are Wilson's, 95 %. Rows
that are labelled not_entailment are run against their own premise among nine others too: what is
attributed to that premise there is a false reference by the label.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.report import write_report
from bench.verification import make_extraction
from spanproof.core.citation import Answer, Claim
from spanproof.core.span import Span
from spanproof.verifier.attribute.attribute import match_claims
from spanproof.verifier.attribute.candidates import SpanIndex
from spanproof.verifier.attribute.matching import UNCERTIFIED
from spanproof.verifier.attribute.sources import Region
from spanproof.verifier.claims.claims import to_hypothesis
from spanproof.verifier.entailment import load_model
from spanproof.verifier.policies import load_policy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.core.ports import EntailmentModel

SOURCES = (
    "attrbench_attributedqa",
    "attrbench_expertqa",
    "attrbench_lfqa",
    "attrbench_stanford_gensearch",
    "expertqa",
)
OTHERS = 9
SEED = 20261122
_Z = 1.959964


def read_rows(data: Path) -> list[dict[str, Any]]:
    """The rows of these sources, in the file's order."""
    with gzip.open(data / "nli" / "dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [row for row in rows if row["source"] in SOURCES]


def draw_haystacks(
    rows: Sequence[dict[str, Any]], rng: random.Random
) -> Iterator[tuple[dict[str, Any], list[str], int]]:
    """Each row with ten premises in random order, and the place of its own among them."""
    for row in rows:
        others = {r["premise"]: None for r in rows if r["doc"] != row["doc"]}
        others.pop(row["premise"], None)
        premises = [row["premise"], *rng.sample(list(others), OTHERS)]
        rng.shuffle(premises)
        yield row, premises, premises.index(row["premise"])


def run(
    cases: Sequence[tuple[dict[str, Any], list[str], int]], model: EntailmentModel
) -> dict[str, list[bool]]:
    """What came out of each case, by the measure that it counts for."""
    policy = load_policy("balanced")
    found: dict[str, list[bool]] = {
        name: []
        for name in (
            "recall",
            "precision",
            "proposed",
            "lexical",
            "candidates",
            "false_reference",
            "false_proposal",
        )
    }
    for row, premises, own in cases:
        regions = [
            Region(extraction=make_extraction(text), span=Span(0, len(text)), source_ids=(str(n),))
            for n, text in enumerate(premises)
        ]
        prose = row["hypothesis"]
        claim = Claim(text=prose, span=Span(0, len(prose)), hypothesis=to_hypothesis(prose))
        answer = Answer(prose=prose, anchors=(), citations=())
        (match,), _ = match_claims(answer, [claim], regions, model, policy)
        places = [reading.window.region for reading in match.entailed]
        proposed = list(places)
        if match.reason == UNCERTIFIED and match.nearest is not None:
            proposed.append(match.nearest.window.region)
        if row["label"] != "entailment":
            found["false_reference"].append(own in places)
            found["false_proposal"].append(own in proposed)
            continue
        found["proposed"].append(own in proposed)
        found["recall"].append(own in places)
        if places:
            found["precision"].append(places[0] == own)
        windows = SpanIndex(regions).find(claim.hypothesis)
        found["lexical"].append(bool(windows) and windows[0].region == own)
        found["candidates"].append(any(window.region == own for window in windows))
    return found


def find_interval(hits: int, count: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    if not count:
        return 0.0, 1.0
    share, square = hits / count, _Z * _Z
    middle = (share + square / (2 * count)) / (1 + square / count)
    reach = share * (1 - share) / count + square / (4 * count * count)
    half = _Z / (1 + square / count) * math.sqrt(reach)
    return max(0.0, middle - half), min(1.0, middle + half)


def main() -> None:
    """Run the cases, print the table, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=None, help="the first N cases as drawn")
    chosen = parser.parse_args()
    rng = random.Random(SEED)  # noqa: S311 - a repeatable draw, no secret
    cases = list(draw_haystacks(read_rows(chosen.data), rng))
    rng.shuffle(cases)
    cases = cases[: chosen.limit]
    model = load_model()
    started = time.perf_counter()
    found = run(cases, model)
    seconds = time.perf_counter() - started
    figures: dict[str, Any] = {"cases": len(cases), "seconds": round(seconds, 1)}
    for name, said in found.items():
        low, high = find_interval(sum(said), len(said))
        share = sum(said) / len(said) if said else None
        figures[name] = {"share": share, "n": len(said), "low": low, "high": high}
        shown = "none" if share is None else f"{share:.3f} ({low:.3f} to {high:.3f})"
        print(f"{name:16} {shown}  n={len(said)}")
    print(f"{len(cases)} cases in {seconds:.0f} s, model {model.identity.name}")
    write_report("attribution", figures)


if __name__ == "__main__":
    main()
