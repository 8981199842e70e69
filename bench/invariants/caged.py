"""The invariants of a document, checked in a caged child of the parser."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bench.invariants.document import check_document
from bench.invariants.finding import read_findings
from spanproof.ingest.cage.preload import choose_preload
from spanproof.ingest.sandbox import Parser

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bench.invariants.document import Family
    from bench.invariants.finding import Finding
    from spanproof.ingest.cage.tasks import Task
    from spanproof.ingest.limits import Limits


class CheckingParser(Parser):
    """A parser whose children also check invariants."""

    extra_tasks = (__name__,)

    def check_invariants(
        self, data: bytes, families: Sequence[Family], *, filename: str | None = None
    ) -> tuple[Finding, ...]:
        """``bench.invariants.document.check_document`` in a child."""
        head = {
            "do": "check_invariants",
            "families": list(families),
            "filename": filename,
            "engine": self.engine,
        }
        preload = choose_preload(data, filename, None, self.engine)
        return read_findings(b"".join(self.ask(head, data, preload=preload).parts))


def _check_invariants(head: dict[str, Any], data: bytes, limits: Limits) -> list[bytes]:
    findings = check_document(
        data, head["families"], filename=head["filename"], limits=limits, engine=head["engine"]
    )
    return [json.dumps([finding.to_json() for finding in findings]).encode("ascii")]


#: The zygote finds it here; see ``Parser.extra_tasks``.
TASKS: Mapping[str, Task] = MappingProxyType({"check_invariants": _check_invariants})
