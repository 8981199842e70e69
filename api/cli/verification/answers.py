"""``verify``: check every citation of an answer."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.exit_code import of_results
from spanproof.api.cli.output import write_json, write_note, write_problem, write_rich
from spanproof.api.cli.session import open_session
from spanproof.api.cli.verification.block_view import render_block
from spanproof.core.errors import InputError, OutputError
from spanproof.operations.verification.answer_array import split_array

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
            "field.",
        ),
    ] = "native",
    policy: Annotated[
        str | None, typer.Option(help="balanced (default) or strict; overrides the answer's own.")
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

    Answer, verification block and receipt are stored.

    Exit 0 pass, 1 fail or review, 2 malformed, 3 error. A JSON array verifies each of its answers
    and exits with the worst: malformed, then fail, error, review, pass.
    """
    from spanproof.operations.verification.request import RepairRequest, VerificationRequest

    raw = sys.stdin.buffer.read() if file == "-" else _read_file(Path(file))
    parts = split_array(raw)
    wants_repair = repair or repair_sentences
    request = VerificationRequest(
        format=answer_format,
        policy=policy,
        repair=RepairRequest(sentences=repair_sentences) if wants_repair else None,
    )
    # Check the target first: a failed write must not be discovered at the end.
    out = None if receipt is None else open_receipt_target(receipt, is_folder=parts is not None)
    with open_session() as context:
        verify_one = partial(_verify_one, context, request=request, out=out)
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
    return of_results(result for result, _ in verified)


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


def _read_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        msg = f"Expected a readable file, got {str(path)!r} ({error.strerror})."
        raise InputError(msg, hint="Check the path, or give '-' to read stdin.") from error
