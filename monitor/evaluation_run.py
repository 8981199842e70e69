"""A run of an evaluation as a file: who judged, the rates, the cases. The same run, the same bytes.

It holds no moment, no duration and no word of an answer.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from spanproof.core.errors import MalformedRunError
from spanproof.core.json_reader import strict_json
from spanproof.monitor.case_result import CaseResult
from spanproof.monitor.evaluation import Rates, compute_rates

KIND = "spanproof-evaluation-1"
#: A run file is read whole.
MAX_RUN_BYTES = 256 * 1024**2
_HINT = "Give a file that 'spanproof eval --output' wrote."


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRun:
    """``header`` names what results depend on beside the cases: code, model, policies, options."""

    header: dict[str, Any]
    cases: tuple[CaseResult, ...]

    @property
    def rates(self) -> Rates:
        """Counted from the cases: a run file's own figures are never believed."""
        return compute_rates(self.cases)

    def to_json(self) -> dict[str, Any]:
        """The run as it is written and printed."""
        return {
            "kind": KIND,
            "header": self.header,
            "sentences": {
                "needing_citation": sum(case.needing for case in self.cases),
                "uncited": sum(case.uncited for case in self.cases),
            },
            "rates": self.rates.to_json(),
            "cases": [case.to_json() for case in self.cases],
        }


def dump_run(run: EvaluationRun) -> bytes:
    """The bytes of a run file, one line a case, so that two of them can be compared by eye."""
    body = run.to_json()
    cases = body.pop("cases")
    head = json.dumps(body, ensure_ascii=False, indent=1, sort_keys=True)
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    return f'{head[:-2]},\n "cases": [\n{lines}\n]}}\n'.encode()


def parse_run(raw: bytes) -> EvaluationRun:
    """Read a run file; raise MalformedRunError if it is malformed."""
    body = None
    if len(raw) <= MAX_RUN_BYTES:
        what = "the JSON of a run"
        body = strict_json.parse(raw, what=what, error=MalformedRunError, hint=_HINT, limits=None)
    if not isinstance(body, dict) or body.get("kind") != KIND:
        msg = f"Expected a run of the kind {KIND!r} of at most {MAX_RUN_BYTES} bytes, got another."
        raise MalformedRunError(msg, hint=_HINT)
    header, cases = body.get("header"), body.get("cases")
    if not isinstance(header, dict) or not isinstance(cases, list) or not cases:
        msg = "Expected a run with a header and at least one case, got one without."
        raise MalformedRunError(msg, hint=_HINT)
    run = EvaluationRun(header=header, cases=tuple(map(CaseResult.from_json, cases)))
    if len({case.case_id for case in run.cases}) != len(run.cases):
        msg = "Expected each case_id once in a run, got one twice."
        raise MalformedRunError(msg, hint=_HINT)
    return run
