"""Two answers → what differs: each is verified now, read as printed, or loaded as it was kept."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import InputError
from spanproof.core.verdicts.block_json import block_to_json
from spanproof.operations.verification.judging import judge, load_named_policy
from spanproof.operations.verification.stored import show_verification
from spanproof.verifier.answers.diff import compare_answers, read_verified

if TYPE_CHECKING:
    from spanproof.operations.context import Context
    from spanproof.verifier.answers.diff import AnswerDifference, VerifiedAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffReport:
    """The difference, and where each side comes from: ``verified_now``, ``printed`` or ``kept``."""

    difference: AnswerDifference
    sources: tuple[str, str]

    def to_json(self) -> dict[str, Any]:
        """The difference with ``source`` in each side."""
        body = self.difference.to_json()
        for side, source in zip(("a", "b"), self.sources, strict=True):
            body[side] = {"source": source} | body[side]
        return body


def diff_answers(
    context: Context,
    first: str,
    second: str,
    *,
    format: str = "native",  # noqa: A002 - the contract's word
) -> DiffReport:
    """Compare two answers, each a file or a verification id; nothing is kept or logged.

    An answer that is not verified is judged as ``verify`` would; one that ``verify --json`` printed
    or that is kept brings its block. Raises MalformedAnswerError for what is neither.
    """
    one, source_one = _load(context, first, format)
    other, source_other = _load(context, second, format)
    return DiffReport(difference=compare_answers(one, other), sources=(source_one, source_other))


def _load(context: Context, ref: str, answer_format: str) -> tuple[VerifiedAnswer, str]:
    path = Path(ref)
    if not path.is_file() and _is_id(ref):
        context.store.answers.load(ref).require_words()
        return read_verified(show_verification(context, ref)), "kept"
    try:
        raw = path.read_bytes()
    except OSError as error:
        msg = f"Expected a file or a verification id, got {ref!r} ({error.strerror})."
        raise InputError(
            msg, hint="Check the path, or give an id that 'verify' returned."
        ) from error
    printed = _read_printed(raw)
    if printed is not None:
        return read_verified(printed), "printed"
    return read_verified(_verify(context, raw, answer_format)), "verified_now"


def _read_printed(raw: bytes) -> dict[str, Any] | None:
    """What ``verify --json`` printed; None for an answer by itself."""
    from spanproof.core.json_reader.object_reader import load_json

    value = load_json(raw)
    own = ("verification", "verification_id")
    return value if isinstance(value, dict) and all(name in value for name in own) else None


def _verify(context: Context, raw: bytes, answer_format: str) -> dict[str, Any]:
    from spanproof.verifier.formats.registry import parse_payload

    parsed = parse_payload(raw, answer_format)
    policy = load_named_policy(parsed.answer.policy or context.settings.policy)
    judged = judge(context, parsed, policy)
    return parsed.payload | {"verification": block_to_json(judged.block)}


def _is_id(ref: str) -> bool:
    try:
        uuid.UUID(ref)
    except ValueError:
        return False
    return True
