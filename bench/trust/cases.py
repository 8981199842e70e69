"""Hand-made cases that a careful person refuses, or accepts: what each policy makes of them.

The cases stand in ``verdicts/cases.jsonl`` of the test data, with the documents of some of them.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from spanproof.core.documents.document import Library, Source
from spanproof.core.verdicts.status import Outcome
from spanproof.ingest import extract
from spanproof.verifier.formats.registry import parse_payload
from spanproof.verifier.policies import load_policy
from spanproof.verifier.verify import verify

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from spanproof.core.ports import EntailmentModel
    from spanproof.core.verdicts.verification_block import VerificationBlock

POLICIES = ("balanced", "strict", "review")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One answer over its documents, and what a careful person says of it."""

    id: str
    category: str
    must_pass: bool
    why: str
    answer: dict[str, Any]
    library: Library


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """The block of one case under one policy."""

    case: Case
    policy: str
    block: VerificationBlock

    @property
    def passes(self) -> bool:
        """Whether the answer passes whole."""
        return self.block.result is Outcome.PASS

    @property
    def is_wrong(self) -> bool:
        """A falsehood that passes, or a true answer that does not."""
        return self.passes != self.case.must_pass


def read_cases(folder: Path, *, categories: Sequence[str] = ()) -> list[Case]:
    """The cases of a folder, documents read; of some categories, or of all."""
    rows = map(json.loads, (folder / "cases.jsonl").read_text(encoding="utf-8").splitlines())
    return [
        _read_case(row, folder) for row in rows if not categories or row["category"] in categories
    ]


def _read_case(row: dict[str, Any], folder: Path) -> Case:
    sources = dict(_read_documents(row, folder))
    answer = json.dumps(row["answer"])
    for name, source in sources.items():
        place = f'"$DOC:{name}"' if name else '"$DOC"'
        answer = answer.replace(place, json.dumps(str(source.document.doc_hash)))
    return Case(
        id=row["id"],
        category=row["category"],
        must_pass=row["expected"] == "pass",
        why=row["why"],
        answer=json.loads(answer),
        library=Library(sources=tuple(sources.values())),
    )


def _read_documents(row: dict[str, Any], folder: Path) -> Iterable[tuple[str, Source]]:
    if "file" in row:
        path = folder / row["file"]
        yield "", _to_source(path.read_bytes(), path.name)
    if "document_text" in row:
        content = row["document_text"].encode()
        yield "", _to_source(content, row.get("filename", "document.txt"), row.get("media_type"))
    for name, text in row.get("documents", {}).items():
        yield name, _to_source(text.encode(), f"{name}.txt")


def _to_source(content: bytes, filename: str, media_type: str | None = None) -> Source:
    extraction = extract(content, filename=filename, media_type=media_type)
    return Source(document=extraction.document, extractions=(extraction,))


def judge_cases(
    cases: Iterable[Case], model: EntailmentModel, *, policies: Sequence[str] = POLICIES
) -> list[CaseResult]:
    """Verify every case under every policy, as a request would be."""
    now = datetime.now(UTC)
    results = []
    for case in cases:
        parsed = parse_payload(json.dumps(case.answer).encode())
        for name in policies:
            block = verify(
                parsed.answer,
                case.library,
                model,
                load_policy(name),
                verified_at=now,
                imported=parsed.imported,
            )
            results.append(CaseResult(case=case, policy=name, block=block))
    return results


def count_wrong(results: Iterable[CaseResult]) -> dict[str, dict[str, Counter[str]]]:
    """By policy and category: ``false_passes`` of ``false``, ``stopped`` of ``true``."""
    counts: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for result in results:
        found = counts[result.policy][result.case.category]
        if result.case.must_pass:
            found.update(true=1, stopped=not result.passes)
        else:
            found.update(false=1, false_passes=result.passes)
    return {policy: dict(rows) for policy, rows in counts.items()}
