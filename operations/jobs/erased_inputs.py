"""Erased words in the inputs of jobs that are not over: the job is cancelled, or its item blanked.

An input that is one answer or one document goes, with its job. In an array of answers the erased
one becomes ``null``, and the others are verified.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from spanproof.core.digest import Digest
from spanproof.core.errors import InputError, SpanproofError
from spanproof.operations.errors import JobFinishedError, JobNotFoundError
from spanproof.operations.verification.answer_array import is_array, split_array

if TYPE_CHECKING:
    from spanproof.operations.context import Context
    from spanproof.store.erasing.erasures import Content

#: An array of answers has at most this many bytes more than its answers: it is read whole.
_BEGINNING = 64
BLANK = b"null"


def remove_inputs(context: Context, content: Content) -> int:
    """Remove this content from every input of the tenant's jobs; in how many it was.

    Raises StoreUnavailableError where an input cannot be changed.
    """
    inputs = context.jobs.inputs
    found = 0
    for name in inputs.list_names():
        try:
            path = inputs.path(name)
            with path.open("rb") as stream:
                beginning = stream.read(_BEGINNING)
                stream.seek(0)
                digest = Digest(hashlib.file_digest(stream, "sha256").hexdigest())
        except (SpanproofError, FileNotFoundError):
            # Its job ended meanwhile, and took it along.
            continue
        if digest in content.digests:
            _cancel(context, name)
            inputs.remove(name)
            found += 1
        elif is_array(beginning) and path.stat().st_size <= context.settings.max_answer_bytes:
            blanked = _blank(path.read_bytes(), content)
            if blanked is not None:
                inputs.replace(name, blanked)
                found += 1
    return found


def _blank(raw: bytes, content: Content) -> bytes | None:
    """The array without the erased answers; None where it has none of them."""
    try:
        parts = split_array(raw) or []
    except InputError:
        return None
    kept = [BLANK if Digest.of(part) in content.digests else part for part in parts]
    return None if kept == parts else b"[" + b",".join(kept) + b"]"


def _cancel(context: Context, name: str) -> None:
    job_id = context.jobs.find_by_input(name)
    if job_id is None:
        return
    try:
        context.jobs.cancel(job_id)
    except (JobFinishedError, JobNotFoundError):
        return
