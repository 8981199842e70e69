"""A receipt's facts beside the block: the request, the judge, and digests of the inputs."""

from __future__ import annotations

import json
import os
import platform
from datetime import UTC, datetime
from functools import cache, lru_cache
from importlib import metadata
from typing import TYPE_CHECKING, Any

from spanproof.core import canonical_json
from spanproof.core.canonical_json import MOST_INTEGER, with_decimal_strings
from spanproof.core.digest import PREFIX, Digest
from spanproof.core.errors import InputError
from spanproof.core.verdicts.block_json import model_to_json
from spanproof.receipt.statement.issuance import IssueFacts, RequestFacts, thresholds_to_json
from spanproof.receipt.statement.predicate import NOBODY, Actor, InputDigests, SignedVerifier
from spanproof.receipt.statement.receipt_id import ID_RANDOM_BYTES, NONCE_BYTES, make_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanproof.core.citation import Answer
    from spanproof.core.documents.document import Extraction
    from spanproof.core.log.checkpoint import LoggedLeaf
    from spanproof.core.verdicts.model import ModelIdentity
    from spanproof.core.verdicts.policy import Policy
    from spanproof.operations.settings import Settings
    from spanproof.operations.verification.request import VerificationRequest
    from spanproof.verifier.formats.parsed import ParsedAnswer

#: The name of the mode of the answer's grammar among the toggles.
_CITATIONS = "citations"
#: Where no words are kept; a tenant's choice that changes no verdict.
_WORDS = "words"


def describe_request(
    raw: bytes,
    settings: Settings,
    request: VerificationRequest,
    *,
    citations: str | None = None,
    words: str | None = None,
) -> RequestFacts:
    """The digest of the payload, the request's options, and the settings that can matter.

    ``citations`` is the mode of the answer's grammar (``citation_modes.describe_mode``), ``words``
    how its words are kept, where they are not.
    """
    named = {_CITATIONS: citations, _WORDS: words}
    repair = None
    if request.repair is not None:
        repair = {
            "sentences": request.repair.sentences,
            "max_repairs": request.repair.max_repairs,
        }
    return RequestFacts(
        digest=Digest.of(raw),
        format=request.format,
        policy=request.policy,
        repair=repair,
        sampled=request.sampled,
        toggles=_toggles(settings)
        | {name: value for name, value in named.items() if value is not None},
    )


def describe_issue(
    request: RequestFacts,
    *,
    verification_id: str,
    intake: LoggedLeaf,
    verifier_version: str,
    actor: Actor = NOBODY,
) -> IssueFacts:
    """A new receipt's names and moment."""
    now = datetime.now(UTC)
    return IssueFacts(
        receipt_id=make_id(now, os.urandom(ID_RANDOM_BYTES)),
        verification_id=verification_id,
        nonce=os.urandom(NONCE_BYTES),
        time_issued=now,
        intake=intake,
        actor=actor,
        request=request,
        verifier=SignedVerifier(
            id="spanproof",
            version=verifier_version,
            source_commit=_find_source_commit(),
            lockfile_sha256=None,
            image_digest=None,
            sandbox_level=None,
            platform=f"{platform.python_implementation()}-{platform.python_version()} "
            f"{platform.system()} {platform.machine()}",
        ),
    )


def digest_inputs(parsed: ParsedAnswer, answer: Answer, request: RequestFacts) -> InputDigests:
    """Digests of the inputs given with the answer; None for a missing input.

    ``question`` is of its UTF-8 bytes, ``prompt`` the one that the caller states, the others of
    JCS with numbers as decimal strings: ``retrieved``, ``context`` and ``registry`` as they stand
    in the payload, ``toggles`` of the request, the settings and the answer's labels.
    """
    payload = parsed.payload
    prompt = None if answer.generator is None else answer.generator.prompt_sha256
    toggles = {
        "format": request.format,
        "policy": request.policy,
        "repair": request.repair,
        "settings": dict(request.toggles),
        "labels": dict(answer.labels),
    }
    return InputDigests(
        question=None if answer.question is None else _digest_text(answer.question),
        retrieved=_digest_part(payload, "retrieved"),
        context=_digest_part(payload, "context"),
        prompt=None if prompt is None else _read_prompt(prompt),
        field_registry=_digest_part(payload, "registry"),
        toggles=_digest_json(toggles),
    )


def list_configuration(
    request: RequestFacts, policy: Policy, model: ModelIdentity, extractions: Iterable[Extraction]
) -> dict[str, Digest]:
    """Everything that decides verdicts, each by its digest: the log records every change."""
    # A mode has a leaf of its own, and the citations' is another for each grammar.
    settings = frozenset(
        item for item in request.toggles.items() if item[0] not in {_CITATIONS, _WORDS}
    )
    pipelines = {extraction.pipeline for extraction in extractions}
    return _digest_judge(policy, model) | {
        "settings": _digest_settings(settings),
        **{f"pipeline:{pipeline.name}": pipeline.digest for pipeline in pipelines},
    }


# Every verification asks, and seldom is anything else than the time before.
@lru_cache(maxsize=64)
def _digest_judge(policy: Policy, model: ModelIdentity) -> dict[str, Digest]:
    from spanproof.verifier.version import verifier_name

    parts = {
        "verifier": _digest_text(verifier_name()),
        f"policy:{policy.name}": policy.digest,
        f"thresholds:{policy.name}": _digest_json(thresholds_to_json(policy, model)),
        "model": _digest_json(model_to_json(model)),
    }
    return parts if model.weights_digest is None else parts | {"weights": model.weights_digest}


@lru_cache(maxsize=64)
def _digest_settings(toggles: frozenset[tuple[str, str | None]]) -> Digest:
    return _digest_json(dict(toggles))


def _toggles(settings: Settings) -> dict[str, str | None]:
    return {
        "calibration": settings.calibration,
        "engine": settings.engine,
        "policy": settings.policy,
        "runtime": settings.runtime,
        "sandbox": settings.sandbox,
        # Its older name: digests of earlier receipts hold it.
        "witness_rate": f"{settings.cross_check_rate:.6f}",
    }


def _digest_part(payload: Mapping[str, Any], name: str) -> Digest | None:
    value = payload.get(name)
    return None if value is None else _digest_json(value)


def _digest_json(value: Any) -> Digest:  # noqa: ANN401 - any JSON value
    return canonical_json.digest(_with_small_integers(with_decimal_strings(value)))


def _with_small_integers(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """The same with whole numbers that JCS does not have as strings of their digits."""
    if isinstance(value, dict):
        return {name: _with_small_integers(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_with_small_integers(item) for item in value]
    if type(value) is int and abs(value) > MOST_INTEGER:
        return str(value)
    return value


def _digest_text(text: str) -> Digest:
    return Digest.of(text.encode("utf-8"))


def _read_prompt(stated: str) -> Digest:
    """The digest that the caller states; for any other text, the digest of that text."""
    try:
        return Digest.parse(PREFIX + stated.removeprefix(PREFIX))
    except InputError:
        return _digest_text(stated)


@cache
def _find_source_commit() -> str | None:
    """The commit that was installed, where the installer recorded one (PEP 610)."""
    try:
        recorded = metadata.distribution("spanproof").read_text("direct_url.json")
        commit = json.loads(recorded or "{}").get("vcs_info", {}).get("commit_id")
    except (metadata.PackageNotFoundError, ValueError, AttributeError):
        return None
    is_whole = isinstance(commit, str) and len(commit) in {40, 64}
    return commit if is_whole and set(commit) <= set("0123456789abcdef") else None
