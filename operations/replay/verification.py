"""Recomputes a stored verification from its inputs, and compares the two.

Nothing that was read before is believed: the model is asked itself, and the block's own numbers are
only compared. What has to be the same: payload, documents and extractions, policy, code, model.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NoReturn

from spanproof.core import canonical_json
from spanproof.core.budget import BUDGET_SPENT
from spanproof.core.errors import (
    InputError,
    MalformedAnswerError,
    NotFoundError,
    SpanproofError,
    UnknownPolicyError,
    VerificationNotFoundError,
    WordsNotKeptError,
)
from spanproof.core.json_reader.object_reader import load_json
from spanproof.core.verdicts.block_json import block_to_json, model_to_json
from spanproof.operations.errors import NotReplayableError
from spanproof.operations.replay.differences import Difference, find_differences
from spanproof.operations.replay.judging import StoredBlock, judge_again
from spanproof.operations.verification.judging import load_named_policy

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.core.ports import EntailmentModel
    from spanproof.core.verdicts.policy import Policy
    from spanproof.core.verdicts.verification_block import VerificationBlock
    from spanproof.operations.context import Context

#: A report lists so many differences; its count is complete.
MOST_DIFFERENCES = 20
_OWN_FIELDS = ("verification", "verification_id", "receipt", "receipt_url")


class ReplayStatus(StrEnum):
    """The result of a replay."""

    REPLAYED = "REPLAYED"
    CONFORMS = "CONFORMS"
    DIFFERS = "DIFFERS"
    NOT_CHECKED = "NOT_CHECKED"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayReport:
    """The comparison. ``greatest_logit_difference`` is None where no raw logit differs.

    ``problem`` says why nothing could be checked.
    """

    status: ReplayStatus
    verification_id: str | None
    stored_digest: str | None
    recomputed_digest: str | None = None
    greatest_logit_difference: float | None = None
    differences: tuple[Difference, ...] = ()
    problem: SpanproofError | None = None

    def to_json(self) -> dict[str, Any]:
        """The document that ``--json`` prints."""
        problem = self.problem
        return {
            "status": self.status.value,
            "verification_id": self.verification_id,
            "verdicts_digest": {"stored": self.stored_digest, "recomputed": self.recomputed_digest},
            "greatest_logit_difference": self.greatest_logit_difference,
            "difference_count": len(self.differences),
            "differences": [each.to_json() for each in self.differences[:MOST_DIFFERENCES]],
            "problem": problem
            and {"code": problem.code, "detail": problem.message, "hint": problem.hint},
        }


def load_stored(context: Context, verification_id: str) -> StoredBlock:
    """A stored verification; raise VerificationNotFoundError if it is missing."""
    stored = context.store.answers.load(verification_id).require_words()
    return StoredBlock(
        verification_id=verification_id,
        raw=stored.raw,
        block=stored.block,
        verified_at=stored.verified_at,
        is_ours=True,
    )


def load_file(context: Context, path: Path) -> StoredBlock:
    """Read a file of ``verify --json``; raise MalformedAnswerError for another file."""
    try:
        value = load_json(path.read_bytes())
        payload: dict[str, Any] = dict(value)
        block = dict(payload["verification"])
        moment = datetime.strptime(block["verified_at"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
        verification_id = payload.get("verification_id")
        unmapped = list(block["import"]["unmapped"])
    except (InputError, OSError, ValueError, KeyError, TypeError) as error:
        msg = f"Expected a verified answer as JSON in {str(path)!r}, got {error!r}."
        hint = "Give a file that 'spanproof verify --json' printed for one answer, or an id."
        raise MalformedAnswerError(msg, hint=hint) from error
    # Beside a provider's payload the answer and its citations stand as they were read from it.
    is_native = block["import"]["format"] == "native"
    own = _OWN_FIELDS if is_native else (*_OWN_FIELDS, "answer", "citations")
    for name in own:
        payload.pop(name, None)
        if f"/{name}" in unmapped:
            # It was sent under that name and not read: only that it was there is in the block.
            payload[name] = None
    file = StoredBlock(
        verification_id=verification_id if isinstance(verification_id, str) else None,
        raw=json.dumps(payload).encode("ascii"),
        block=block,
        # The time has whole seconds: anything that came within that second may count.
        verified_at=moment + timedelta(seconds=1) - timedelta(microseconds=1),
        is_ours=False,
    )
    if file.verification_id is None:
        return file
    try:
        ours = load_stored(context, file.verification_id)
    except (VerificationNotFoundError, WordsNotKeptError, UnicodeError):
        return file
    # The same verification is kept here: its moment is known exactly. The file is compared.
    is_same_moment = ours.verified_at.replace(microsecond=0) == moment
    return replace(file, verified_at=ours.verified_at, is_ours=True) if is_same_moment else file


def replay(context: Context, stored: StoredBlock) -> ReplayReport:
    """Compute a verification again and compare; return a report for every outcome.

    Raises MalformedAnswerError where payload or block cannot be read, and IntegrityError where the
    store contradicts itself.
    """
    block = stored.block
    report = ReplayReport(
        status=ReplayStatus.NOT_CHECKED,
        verification_id=stored.verification_id,
        stored_digest=_text(block.get("verdicts_digest")),
    )
    try:
        recomputed = _recompute(context, stored)
    except (NotReplayableError, NotFoundError) as error:
        return replace(report, problem=error)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        msg = f"Expected a verification block with its fields, got one without ({error!r})."
        raise MalformedAnswerError(msg, hint="Replay the block as it was written.") from error
    now = json.loads(json.dumps(block_to_json(recomputed)))
    differences = tuple(find_differences(block, now))
    logits = [each.size for each in differences if each.is_logit and each.size is not None]
    return replace(
        report,
        status=_judge(block, differences),
        recomputed_digest=now["verdicts_digest"],
        greatest_logit_difference=max(logits, default=None),
        # List the deciding differences first.
        differences=tuple(sorted(differences, key=lambda each: each.is_rounding)),
    )


def _judge(block: dict[str, Any], differences: tuple[Difference, ...]) -> ReplayStatus:
    if not differences:
        return ReplayStatus.REPLAYED
    others = {each.path for each in differences if not each.is_rounding}
    is_rounding = others == {"/verdicts_digest"} and len(differences) > 1
    return (
        ReplayStatus.CONFORMS
        if is_rounding and block["verdicts_digest"] == _digest_stored(block)
        else ReplayStatus.DIFFERS
    )


def _digest_stored(block: dict[str, Any]) -> str:
    """The digest of the verdicts as they are stored: a block must at least agree with itself."""
    parts = [block["verdicts"], block["policy"], block["model"]]
    return str(canonical_json.digest(canonical_json.with_decimal_strings(parts)))


def _recompute(context: Context, stored: StoredBlock) -> VerificationBlock:
    from spanproof.verifier.formats.registry import NAMES, parse_payload
    from spanproof.verifier.version import verifier_version

    block = stored.block
    name = str(block["import"]["format"])
    if not set(name.split(",")) <= set(NAMES):
        hint = "Replay with the version of Spanproof that reads this format."
        _refuse("format", ", ".join(NAMES), name, hint)
    parsed = parse_payload(stored.raw, name)
    _check_deadline(block["codes"])
    policy = _find_policy(block["policy"])
    model = _find_model(context, block["model"])
    version = verifier_version(policy, model.identity)
    if version != block["verifier_version"]:
        hint = "Replay with the version of Spanproof that made it."
        _refuse("verifier", block["verifier_version"], version, hint)
    verdicts = block["verdicts"]
    recomputed, missing = judge_again(context, stored, parsed, policy, model)
    _check_cross_check(verdicts, recomputed)
    is_equal = str(recomputed.verdicts_digest) == block["verdicts_digest"]
    if missing and not is_equal and not stored.is_ours:
        hint = "Ingest every document that was supplied, then replay again."
        _refuse("documents", "all that were supplied", f"no {missing[0]}", hint)
    return recomputed


def _find_policy(stored: dict[str, Any]) -> Policy:
    hint = "Replay with the version of Spanproof that has this policy."
    try:
        policy = load_named_policy(stored["name"])
    except UnknownPolicyError:
        _refuse("policy", stored["name"], "none of that name", hint)
    if str(policy.digest) != stored["digest"]:
        _refuse(f"policy {policy.name!r}", stored["digest"], str(policy.digest), hint)
    return policy


def _find_model(context: Context, stored: dict[str, Any]) -> EntailmentModel:
    """The model that judged, without the cache of its readings."""
    if stored["weights_sha256"] is None and stored["name"] == "NullEntailment":
        # No model judged: that replays too.
        from spanproof.verifier.entailment import NullEntailment
        from spanproof.verifier.entailment.postponed import UNASKED, UnaskedEntailment

        if stored["runtime"] == f"none: {UNASKED}":
            return UnaskedEntailment()
        return NullEntailment(str(stored["runtime"]).removeprefix("none: "))
    if not stored.get("replayable", True):
        hint = "Nothing that such a model judges passes; look at the verdicts by eye."
        _refuse(f"model {stored['name']!r}", "one that replays", "one that does not", hint)
    try:
        model = context.require_fresh_model()
    except SpanproofError as error:
        msg = f"Expected the model {stored['name']!r}, got none: {error.message}"
        raise NotReplayableError(msg, hint=error.hint) from error
    found = json.loads(json.dumps(model_to_json(model.identity)))
    # The weights first: of another model everything else is another too.
    for name in dict.fromkeys(["weights_sha256", "runtime", "calibration", *stored, *found]):
        if found.get(name) != stored.get(name):
            hint = "Set SPANPROOF_MODEL to the model that judged, in the runtime that it names."
            _refuse(f"model.{name}", stored.get(name), found.get(name), hint)
    return model


def _check_deadline(codes: list[str]) -> None:
    """How far a judgement came before it was cut off was a matter of that moment's load."""
    if BUDGET_SPENT in codes:
        hint = "Verify the answer again with a larger SPANPROOF_BUDGET_SECONDS, or in parts."
        _refuse("the judgement", "made to the end", "cut off by its budget", hint)
    if "DEADLINE_PASSED" in codes:
        hint = "Verify the answer again without deadline_ms."
        _refuse("the model", "asked to the end", "cut off by a deadline", hint)


def _check_cross_check(verdicts: list[dict[str, Any]], recomputed: VerificationBlock) -> None:
    """A second engine that could read then and cannot now, or the reverse, leaves it open."""
    for index, (then, now) in enumerate(zip(verdicts, recomputed.verdicts, strict=False)):
        before, after = then["locator"]["witness"], now.locator.cross_check
        if (before["status"] == "NOT_RUN") is not (after.status.value == "NOT_RUN"):
            hint = "Install the second PDF engine, and look at its limits of time and memory."
            got = f"{after.status.value} ({after.reason})"
            _refuse(f"cross-check of verdict {index}", before["status"], got, hint)


def _refuse(what: str, expected: object, got: object, hint: str) -> NoReturn:
    msg = f"Expected {what} to be {expected!r}, got {got!r}."
    raise NotReplayableError(msg, hint=hint)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
