"""Published quote checkers, asked about the same quotes in an environment of their own.

They see a window of the source that holds the true quote (their normalisation of a whole document
for each question would take hours); a smaller source can only make a false accept less likely.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.mutations.fuzz import ACCEPTED
from bench.mutations.texts import make_extraction
from spanproof.core.citation import Quote
from spanproof.verifier.quotes.existence import check_existence

ROOT = Path(__file__).parents[2]
PEERS_PYTHON = ROOT / "build" / "peers-quotes" / "bin" / "python"
#: Characters of the source on either side of the quote.
WINDOW = 1_500
#: Name of the checker by the name that ``peer_runner`` knows it by.
PEERS = {
    "linkml-reference-validator": "linkml-reference-validator",
    "ragas": "RAGAS QuotedSpansAlignment",
    "langextract": "LangExtract aligner, any interval",
    "langextract-exact": "LangExtract aligner, MATCH_EXACT only",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One lie, the truth that it was made of, and the text."""

    document: str
    text: str
    kind: str
    quote: str
    mutated: str


def ask_peers(cases: list[Case]) -> list[dict[str, Any]]:
    """What each checker accepts of the sample, or why it could not run; Spanproof first."""
    ours = [_judge_spanproof(case) for case in cases]
    rows = [_count("spanproof, true offsets", "", ours, cases)]
    if not PEERS_PYTHON.exists():
        why = "not installed (make bench-quotes)"
        return rows + [{"name": name, "error": why} for name in PEERS.values()]
    lines = [json.dumps(asdict(case) | {"text": _window(case)}) for case in cases]
    return rows + [_ask(key, name, lines, cases) for key, name in PEERS.items()]


def _window(case: Case) -> str:
    start = case.text.find(case.quote)
    return case.text[max(0, start - WINDOW) : start + len(case.quote) + WINDOW]


def _judge_spanproof(case: Case) -> list[bool]:
    extraction = make_extraction(_window(case))
    start = extraction.text.text.find(case.quote)
    quotes = [
        Quote(text=text, start=start, end=start + len(text)) for text in (case.mutated, case.quote)
    ]
    return [check_existence(quote, extraction, ())[0].status in ACCEPTED for quote in quotes]


def _ask(key: str, name: str, lines: list[str], cases: list[Case]) -> dict[str, Any]:
    runner = Path(__file__).with_name("peer_runner.py")
    run = subprocess.run(
        [str(PEERS_PYTHON), "-I", str(runner), key],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        return {"name": name, "error": run.stderr.strip().splitlines()[-1][:200]}
    version, *answers = run.stdout.splitlines()
    return _count(name, version, [json.loads(answer) for answer in answers], cases)


def _count(name: str, version: str, judged: list[list[bool]], cases: list[Case]) -> dict[str, Any]:
    by_kind: dict[str, list[int]] = {}
    for case, (lie, _) in zip(cases, judged, strict=True):
        count = by_kind.setdefault(case.kind, [0, 0])
        count[0] += lie
        count[1] += 1
    return {
        "name": name,
        "version": version,
        "asked": len(judged),
        "lies_believed": sum(lie for lie, _ in judged),
        "truths_believed": sum(truth for _, truth in judged),
        "by_kind": by_kind,
    }
