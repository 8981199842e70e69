"""``verify``: check every citation of an answer."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.exit_code import of_results
from spanproof.api.cli.output import write_json, write_note, write_problem, write_rich
from spanproof.api.cli.session import open_model_session, open_session
from spanproof.api.cli.verification.block_view import render_block
from spanproof.core.errors import InputError, OutputError
from spanproof.core.extras import is_installed, need_extra
from spanproof.operations.verification.answer_array import split_array
from spanproof.operations.verification.contexts_file import add_contexts, parse_contexts
from spanproof.verifier.formats.proposing import AUTO, propose_format

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.operations.context import Context
    from spanproof.operations.receipts.stored import ReceiptFile
    from spanproof.operations.verification.request import VerificationRequest


#: The holder decides who reads a receipt; other users of the host may not.
_MODE = 0o600


@dataclass(frozen=True, slots=True)
class ReceiptTarget:
    """Where receipts are written: a file, or a folder with one file each."""

    path: Path
    is_folder: bool

    def write(self, receipt: ReceiptFile) -> None:
        """Write the receipt, completely or not at all; an existing file is replaced."""
        from spanproof.receipt.keys.key_files import replace_file

        path = self.path / receipt.filename if self.is_folder else self.path
        try:
            replace_file(path, receipt.content, mode=_MODE)
        except OSError as error:
            hint = f"The receipt of {receipt.verification_id} is stored nevertheless."
            raise _to_output_error(path, error, hint) from error


def open_receipt_target(path: Path, *, is_folder: bool) -> ReceiptTarget:
    """Check that receipts can be written there; create a missing folder.

    Raises OutputError. An existing folder also takes the receipt of a single answer.
    """
    hint = "Give --receipt a file in an existing folder, or a folder for an array of answers."
    is_folder = is_folder or path.is_dir()
    try:
        if is_folder:
            path.mkdir(parents=True, exist_ok=True)
        elif not path.absolute().parent.is_dir() or (path.exists() and not path.is_file()):
            # The file would replace a device or a pipe instead of being written to it.
            msg = f"Expected a file in an existing folder, got {str(path)!r}."
            raise OutputError(msg, hint=hint)
    except OSError as error:
        raise _to_output_error(path, error, hint) from error
    return ReceiptTarget(path, is_folder)


def _to_output_error(path: Path, error: OSError, hint: str) -> OutputError:
    msg = f"Expected to write {str(path)!r}, got {error.strerror or error!r}."
    return OutputError(msg, hint=hint)


def verify(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The answer as JSON, or '-' for stdin.")
    ],
    *,
    answer_format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="NAME[,NAME]",
            help="Format of the answer: native, anthropic, openai-responses, … (a wrong "
            "name lists them all), optionally followed by marker formats: chunk, ref, "
            "field; auto proposes one, says why, and uses it.",
        ),
    ] = "native",
    policy: Annotated[
        str | None,
        typer.Option(help="balanced (default), strict or review; overrides the answer's own."),
    ] = None,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help="If the answer cites nothing, attach spans of the retrieved chunks that "
            "support it.",
        ),
    ] = False,
    repair_sentences: Annotated[
        bool,
        typer.Option(
            "--repair-sentences", help="Also attach spans to single sentences without citations."
        ),
    ] = False,
    attribute: Annotated[
        bool,
        typer.Option(
            "--attribute",
            help="If the answer cites nothing, check each sentence against all texts.",
        ),
    ] = False,
    contexts: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|-",
            help="The texts that the answer was made from; [1] names the first. A JSON array, JSON "
            "lines, or a text a line. The answer may then be a plain text.",
        ),
    ] = None,
    receipt: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT",
            help="Write the receipt to this file; for an array, each into this folder.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Verify the citations of an answer.

    Answer, verification block and receipt are stored. Without the extra 'server' an answer is
    judged by the texts that it brings; nothing is kept, and there is no receipt.

    Exit 0 pass, 1 fail or review, 2 malformed, 3 error. A JSON array verifies each of its answers
    and exits with the worst: malformed, then fail, error, review, pass.
    """
    from spanproof.operations.verification.request import VerificationRequest, choose_repair

    if file == contexts == "-":
        msg = "Expected the answer or the contexts on stdin, got both."
        raise InputError(msg, hint="Give one of them as a file.")
    given = None if contexts is None else parse_contexts(_read(contexts))
    raw = _read(file)
    # A bare text may begin with an anchor.
    parts = split_array(raw) if given is None or _is_json_array(raw) else None
    if given is not None:
        raw = add_contexts(raw, given) if parts is None else raw
        parts = None if parts is None else [add_contexts(part, given) for part in parts]
    request = VerificationRequest(
        format=_choose_format(answer_format, [raw] if parts is None else parts),
        policy=policy,
        repair=choose_repair(repair=repair, sentences=repair_sentences, attribute=attribute),
    )
    # Check the target first: a failed write must not be discovered at the end.
    out = None if receipt is None else open_receipt_target(receipt, is_folder=parts is not None)
    has_store = is_installed("server")
    if receipt is not None and not has_store:
        why = "a receipt is asked for"
        raise need_extra(why, extra="server")
    with open_session() if has_store else open_model_session(cache_entries=0) as context:
        if has_store:
            verify_one = partial(_verify_one, context, request=request, out=out)
        else:
            verify_one = partial(_verify_texts, context, request=request)
        if parts is None:
            verified = [verify_one(raw)]
        else:
            verified = [
                _verify_item(verify_one, part, f"{number}/{len(parts)}")
                for number, part in enumerate(parts, start=1)
            ]
    if as_json:
        bodies = [body for _, body in verified]
        write_json(bodies[0] if parts is None else bodies)
    else:
        for _, body in verified:
            if "verification" in body:
                write_rich(*render_block(body))
    if not has_store:
        from spanproof.core.verdicts.claim_results import NOTHING_KEPT

        write_note(NOTHING_KEPT)
    return of_results(result for result, _ in verified)


def _choose_format(name: str, parts: list[bytes]) -> str:
    """The named format; for ``auto`` the one that the first answer tells, said on stderr."""
    if name != AUTO or not parts:
        return name
    proposed = propose_format(parts[0])
    write_note(f"Read as {proposed.format}, because {proposed.why}.")
    return proposed.format


def _verify_one(
    context: Context,
    raw: bytes,
    *,
    request: VerificationRequest,
    out: ReceiptTarget | None,
) -> tuple[str, dict[str, Any]]:
    from spanproof.operations.receipts.stored import show_receipt
    from spanproof.operations.verification.verify import verify_payload

    verification = verify_payload(context, raw, request)
    if out is not None:
        out.write(show_receipt(context, verification.verification_id))
    return verification.block.result.value, verification.response


def _verify_texts(
    context: Context, raw: bytes, *, request: VerificationRequest
) -> tuple[str, dict[str, Any]]:
    """Judge an answer by its own texts, for an install without a store."""
    from spanproof.operations.verification.in_process import judge_without_store, write_unkept
    from spanproof.verifier.formats.registry import parse_payload
    from spanproof.verifier.policies import load_policy

    parsed = parse_payload(raw, request.format)
    if not parsed.attachments and not any(chunk.text for chunk in parsed.answer.retrieved):
        why = "the answer brings no text to judge it by"
        raise need_extra(why, extra="server")
    policy = load_policy(request.policy or parsed.answer.policy or context.settings.policy)
    block = judge_without_store(parsed, policy, context.model, request.repair)
    return block.result.value, parsed.payload | {
        "verification": write_unkept(block),
        "receipt": None,
    }


def _verify_item(
    verify_one: Callable[[bytes], tuple[str, dict[str, Any]]], raw: bytes, number: str
) -> tuple[str, dict[str, Any]]:
    try:
        result, body = verify_one(raw)
    except InputError as error:
        # One malformed answer never stops the others; the output names it as malformed.
        write_note(f"[{number}] malformed")
        write_problem(error)
        return "malformed", {
            "error": {"code": error.code, "detail": error.message, "hint": error.hint}
        }
    write_note(f"[{number}] {result}")
    return result, body


def _is_json_array(raw: bytes) -> bool:
    try:
        return isinstance(json.loads(raw), list)
    except ValueError:
        return False


def _read(source: str) -> bytes:
    """The bytes of a file, or of stdin for ``-``."""
    if source == "-":
        return sys.stdin.buffer.read()
    path = Path(source)
    try:
        return path.read_bytes()
    except OSError as error:
        msg = f"Expected a readable file, got {str(path)!r} ({error.strerror})."
        raise InputError(msg, hint="Check the path, or give '-' to read stdin.") from error
