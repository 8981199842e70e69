"""Cases of an evaluation: an object each, all read before the first of them is judged.

``{"case_id", "payload", "format", "policy", "expect": {"result"}, "note"}``; the last four may be
left out. ``payload`` is an answer as ``verify`` takes it.

A row of RAGAS, DeepEval or a plain table is a case too, known by its columns. RAGAS calls them
``response`` and ``retrieved_contexts`` (``answer`` and ``contexts`` in older releases), DeepEval
``actual_output`` and ``retrieval_context``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core import canonical_json
from spanproof.core.contexts import with_contexts
from spanproof.core.digest import Digest
from spanproof.core.errors import InputError, MalformedAnswerError, MalformedCasesError
from spanproof.core.verdicts.status import Outcome
from spanproof.operations.evaluation.tables import MARGIN_BYTES, read_rows
from spanproof.verifier.policies import load_policy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanproof.verifier.formats.parsed import ParsedAnswer

#: A run keeps some hundred bytes of each case, and of one case at a time all the rest.
MOST_CASES = 100_000
_MOST_NAMED = 20
_LONGEST_ID = 200
_FIELDS = frozenset({"case_id", "payload", "format", "policy", "expect", "note"})
_RESULTS = tuple(outcome.value for outcome in Outcome)
#: The columns of the answer, of its contexts and of the question, as the tools name them.
_ANSWERS = ("response", "answer", "actual_output")
_CONTEXTS = ("retrieved_contexts", "contexts", "retrieval_context", "context")
_QUESTIONS = ("user_input", "question", "input")
_IDS = ("case_id", "id", "name")
_HINT = "Fix the lines named; docs/how-to/evaluation.md shows a case."


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One row: an answer's bytes, how it is read and judged, and what should come of it.

    ``sha256`` is over payload, format and policy. ``is_foreign`` rows have contexts and, as a rule,
    no citations.
    """

    case_id: str
    raw: bytes
    answer_format: str
    policy: str | None
    expected: str | None
    sha256: str
    is_foreign: bool = False

    def parse(self) -> ParsedAnswer:
        """Parse the answer; raise InputError for a malformed one."""
        from spanproof.verifier.formats.registry import parse_payload

        return parse_payload(self.raw, self.answer_format)


class _LineError(Exception):
    """What is wrong with one line, in the words of a message."""


def check_cases(path: Path, *, most_bytes: int) -> int:
    """Read every line and count them; ``most_bytes`` is how large a payload may be.

    Raises MalformedCasesError that names the bad lines by number, InputError for no file.
    """
    bad: list[int] = []
    first = ""
    seen: set[str] = set()
    count = 0
    for count, line in read_rows(path, most_bytes=most_bytes):
        try:
            _take_in(_parse_line(line, count, most_bytes), seen)
        except _LineError as error:
            first = first or f"at line {count} {error}"
            bad.append(count)
            # More lines help no one at once, and a file of another kind ends early.
            if len(bad) == _MOST_NAMED:
                break
    if bad:
        more = f" (and in the lines {', '.join(map(str, bad[1:]))})" if len(bad) > 1 else ""
        msg = f"Expected a case on each line, got {first}{more}."
        raise MalformedCasesError(msg, hint=_HINT)
    if not count:
        msg = f"Expected at least one case, got an empty file {str(path)!r}."
        raise MalformedCasesError(msg, hint=_HINT)
    return count


def read_cases(path: Path, *, most_bytes: int) -> Iterator[Case]:
    """The cases in order, one in memory at a time; of a file that ``check_cases`` has passed."""
    for number, line in read_rows(path, most_bytes=most_bytes):
        try:
            yield _parse_line(line, number, most_bytes)
        except _LineError as error:
            msg = f"Expected cases that stay as they are, got at line {number} {error}."
            raise MalformedCasesError(msg, hint="Run it again on a file at rest.") from error


def _take_in(case: Case, seen: set[str]) -> None:
    if case.case_id in seen:
        raise _LineError(f"the case_id {case.case_id!r} a second time")
    if len(seen) == MOST_CASES:
        raise _LineError(f"more than {MOST_CASES} cases")
    seen.add(case.case_id)


def _parse_line(line: bytes, number: int, most_bytes: int) -> Case:
    from spanproof.core.json_reader.object_reader import load_json

    if len(line) > most_bytes + MARGIN_BYTES:
        raise _LineError(f"more than {most_bytes} bytes")
    if not line.strip():
        msg = "an empty line"
        raise _LineError(msg)
    try:
        fields = load_json(line)
        case = _to_case(fields, number)
        parsed = case.parse()
        for policy in (case.policy, parsed.answer.policy):
            if policy is not None:
                load_policy(policy)
    except InputError as error:
        raise _LineError(f"an invalid case: {error.message.rstrip('.')}") from error
    if len(case.raw) > most_bytes:
        raise _LineError(f"a payload of more than {most_bytes} bytes")
    return case


def _to_case(fields: Any, number: int) -> Case:  # noqa: ANN401 - checked here
    if not isinstance(fields, dict):
        msg = "no JSON object"
        raise _LineError(msg)
    foreign = _is_foreign(fields)
    if foreign:
        fields = _to_case_fields(fields, number)
    if unknown := sorted(set(fields) - _FIELDS):
        # 'expected' for 'expect' would be a test that tests nothing.
        raise _LineError(f"the unknown field {unknown[0]!r}")
    case_id = fields.get("case_id")
    if not isinstance(case_id, str) or not case_id.strip() or not case_id.isprintable():
        msg = "no case_id, or one that cannot be printed"
        raise _LineError(msg)
    if len(case_id) > _LONGEST_ID:
        raise _LineError(f"a case_id of more than {_LONGEST_ID} characters")
    if not isinstance(fields.get("payload"), dict):
        msg = "no payload, or one that is no object"
        raise _LineError(msg)
    answer_format, policy = fields.get("format", "native"), fields.get("policy")
    if not isinstance(answer_format, str) or not isinstance(policy, str | None):
        msg = "a format or policy that is no name"
        raise _LineError(msg)
    raw = json.dumps(fields["payload"], ensure_ascii=False).encode()
    named = [answer_format, policy]
    return Case(
        case_id=case_id,
        raw=raw,
        answer_format=answer_format,
        policy=policy,
        expected=_read_expected(fields.get("expect")),
        sha256=str(Digest.of(raw + canonical_json.dumps(named))),
        is_foreign=foreign,
    )


def _is_foreign(fields: dict[str, Any]) -> bool:
    """Whether a row has an answer and contexts in place of a payload."""
    return "payload" not in fields and any(name in fields for name in _ANSWERS)


def _to_case_fields(fields: dict[str, Any], number: int) -> dict[str, Any]:
    """The fields of a case; raise MalformedAnswerError for a row without an answer or contexts.

    ``case_id`` is the row's ``case_id``, ``id`` or ``name``, else ``row-`` and its number. The
    columns ``policy`` and ``expect`` (a result) are those of a case; others are left out.
    """
    answer, contexts = _find(fields, _ANSWERS), _find(fields, _CONTEXTS)
    if isinstance(contexts, str):
        contexts = [contexts]
    if not isinstance(answer, str) or not isinstance(contexts, list):
        msg = (
            f"Expected a text under one of {', '.join(_ANSWERS)} and a list of texts under one of"
            f" {', '.join(_CONTEXTS)}, got another row."
        )
        raise MalformedAnswerError(msg, hint="Write a list in a CSV cell as a JSON array.")
    try:
        payload = with_contexts(answer, contexts)
    except TypeError as error:
        msg = f"Expected texts as contexts, got another value ({error})."
        raise MalformedAnswerError(msg, hint="Give each context as a text.") from error
    question = _find(fields, _QUESTIONS)
    if isinstance(question, str) and question.strip():
        payload["question"] = question
    given = {"case_id": str(_find(fields, _IDS) or f"row-{number}"), "payload": payload}
    if fields.get("policy") is not None:
        given["policy"] = fields["policy"]
    if fields.get("expect") is not None:
        expect = fields["expect"]
        given["expect"] = {"result": expect} if isinstance(expect, str) else expect
    return given


def _find(fields: dict[str, Any], names: tuple[str, ...]) -> Any:  # noqa: ANN401 - any JSON value
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _read_expected(expect: Any) -> str | None:  # noqa: ANN401 - checked here
    if expect is None:
        return None
    if not isinstance(expect, dict) or set(expect) != {"result"}:
        msg = "an 'expect' that is not {'result': …}"
        raise _LineError(msg)
    result = expect["result"]
    if result not in _RESULTS:
        raise _LineError(f"an expected result other than {', '.join(_RESULTS)}")
    return str(result)
