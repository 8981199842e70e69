"""``assert_verified`` for tests of programs that write answers: real documents, the real model.

It needs pytest no more than it needs the HTTP service: a failure is an AssertionError that names
the citations at fault.
"""

from __future__ import annotations

import atexit
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanproof.core.verdicts.status import Outcome
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.verification.judging import judge, load_named_policy
from spanproof.verifier.answers.feedback import write_failure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.core.verdicts.verification_block import VerificationBlock
    from spanproof.operations.context import Context

__all__ = ["assert_verified"]
_OPENED: dict[str, Context] = {}


def assert_verified(  # noqa: PLR0913 - what is verified, against what, and where
    answer: Mapping[str, Any] | str | bytes | Path,
    *,
    documents: Mapping[str, bytes | Path] | None = None,
    format: str = "native",  # noqa: A002 - the contract's word
    policy: str | None = None,
    home: Path | None = None,
    context: Context | None = None,
) -> VerificationBlock:
    """Verify an answer and raise AssertionError unless the result is ``pass``; return its block.

    ``answer`` is what ``spanproof verify`` takes: an object, its JSON, or the path of a file.
    ``documents`` are ingested first, under their names. The store is that of ``home``, else of the
    settings (``SPANPROOF_HOME``); answer and block are neither kept nor logged. ``context`` is
    used in place of one of our own, which stays open until the process ends. Raises InputError for
    a malformed answer and ModelError without a model: neither is a failed verification.
    """
    __tracebackhide__ = True
    from spanproof.verifier.formats.registry import parse_payload

    opened = _open(home) if context is None else context
    for doc_id, content in (documents or {}).items():
        data = content.read_bytes() if isinstance(content, Path) else content
        name = content.name if isinstance(content, Path) else None
        ingest_stream(opened, [data], filename=name, media_type=None, doc_id=doc_id)
    parsed = parse_payload(_read(answer), format)
    # Not the stand-in that says NOT_RUN: a test without a model must say so.
    opened.require_model()
    chosen = load_named_policy(policy or parsed.answer.policy or opened.settings.policy)
    block = judge(opened, parsed, chosen).block
    if block.result is not Outcome.PASS:
        raise AssertionError(write_failure(block))
    return block


def _read(answer: Mapping[str, Any] | str | bytes | Path) -> bytes:
    if isinstance(answer, bytes):
        return answer
    if isinstance(answer, Path):
        return answer.read_bytes()
    if isinstance(answer, str):
        return answer.encode()
    return json.dumps(dict(answer), ensure_ascii=False).encode()


def _open(home: Path | None) -> Context:
    """Context of one home for the whole process: loading the model takes longer than a test."""
    from spanproof.operations.assembly import make_context
    from spanproof.operations.settings import Settings

    settings = Settings() if home is None else Settings(home=home)
    # A test may set another home or model: each has a context of its own.
    key = repr(settings)
    if key not in _OPENED:
        _OPENED[key] = make_context(settings)
        atexit.register(_OPENED[key].close)
    return _OPENED[key]
