"""Recomputes a receipt: do payload, documents, policy and model give what it signs?

From the store in which it was verified, or from an evidence pack in a store of its own that is gone
afterwards. The answer is the line SUPPORT of ``spanproof.receipt.check.report``; the signature is
not asked here.
"""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanproof.core.digest import Digest
from spanproof.core.errors import BlobDigestMismatchError, MalformedReceiptError, SpanproofError
from spanproof.core.json_reader import strict_json
from spanproof.operations.errors import NotReplayableError, UnreadableFileError
from spanproof.operations.replay.judging import StoredBlock
from spanproof.operations.replay.verification import ReplayStatus, load_stored, replay
from spanproof.operations.small_file import read_small_file
from spanproof.receipt.check.report import Line, LineStatus, Question
from spanproof.receipt.forms.bundle import MAX_BUNDLE_BYTES, parse_bundle
from spanproof.receipt.statement.issuance import digest_block
from spanproof.receipt.statement.statement import parse_statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spanproof.operations.context import Context
    from spanproof.operations.replay.verification import ReplayReport
    from spanproof.operations.settings import Settings
    from spanproof.receipt.statement.predicate import Predicate, SignedDocument


_HINT = "Give a pack as 'audit export' wrote it, with every file in its place."


def replay_receipt(context: Context, predicate: Predicate) -> Line:
    """Recompute what a receipt signs, from the content of this store."""
    return _answer(lambda: (context, load_stored(context, predicate.verification_id)), predicate)


def replay_from_pack(settings: Settings, pack: Path, predicate: Predicate) -> Line:
    """The same from an evidence pack: its documents are read again, and kept nowhere."""
    with tempfile.TemporaryDirectory(prefix="spanproof-replay-") as folder:
        # The model and its runtime are the settings'; nothing else of this machine's is used.
        own = settings.model_copy(update={"home": Path(folder) / "home", "database_url": None})
        with _open(own) as context:
            return _answer(lambda: (context, _load_pack(context, pack, predicate)), predicate)


def load_predicate(path: Path) -> Predicate:
    """What a receipt says, unverified; raise MalformedReceiptError for anything else."""
    hint = "Give the path of a *.sigstore.json."
    raw = read_small_file(path, "a receipt", most_bytes=MAX_BUNDLE_BYTES, hint=hint)
    return parse_statement(parse_bundle(raw).envelope.payload).predicate


@contextmanager
def _open(settings: Settings) -> Iterator[Context]:
    from spanproof.operations.assembly import open_context

    with open_context(settings) as context:
        yield context


def _answer(load: Callable[[], tuple[Context, StoredBlock]], predicate: Predicate) -> Line:
    """The line: NOT CHECKED if the replay cannot run, FAILED if the statement is false."""
    try:
        context, stored = load()
        wrong = _compare_kept(stored, predicate)
        if wrong is not None:
            return _line(LineStatus.FAILED, wrong)
        return _judge(replay(context, stored), predicate)
    except BlobDigestMismatchError as error:
        return _line(LineStatus.FAILED, str(error))
    except SpanproofError as error:
        return _line(LineStatus.NOT_CHECKED, f"{error.code}: {error}")


def _compare_kept(stored: StoredBlock, predicate: Predicate) -> str | None:
    """The first part of the payload or the block that differs from the signed statement."""
    for what, expected, got in (
        ("payload", predicate.request.digest, Digest.of(stored.raw)),
        ("block", predicate.block_digest, digest_block(stored.block)),
    ):
        if expected != got:
            return f"The receipt signs the {what} {expected}, and {got} is kept."
    return None


def _judge(report: ReplayReport, predicate: Predicate) -> Line:
    if report.problem is not None:
        return _line(LineStatus.NOT_CHECKED, f"{report.problem.code}: {report.problem}")
    signed = str(predicate.verdicts_digest)
    if report.status is ReplayStatus.REPLAYED and report.recomputed_digest == signed:
        return _line(LineStatus.OK, f"Computed again, with the same bytes: {signed}.")
    # What conforms is the stored block: it must be the one whose digest is signed.
    if report.status is ReplayStatus.CONFORMS and report.stored_digest == signed:
        greatest = report.greatest_logit_difference or 0.0
        words = f"Computed again, with the same decisions; logits differ by at most {greatest:.1e}."
        return _line(LineStatus.OK, words)
    first = next(iter(report.differences), None)
    where = "" if first is None else f", first at {first.path}"
    return _line(
        LineStatus.FAILED,
        f"The receipt signs {signed}, and {report.recomputed_digest} comes out{where}.",
    )


def _load_pack(context: Context, pack: Path, predicate: Predicate) -> StoredBlock:
    for document in predicate.documents:
        _ingest(context, pack, document)
    folder = pack / "answers" / predicate.verification_id
    block = _read_json(folder / "answer.json")["verification"]
    moment = datetime.strptime(predicate.verified_at, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    return StoredBlock(
        verification_id=predicate.verification_id,
        raw=_read(folder / "payload"),
        block=block,
        # The time has whole seconds: anything that came within that second may count.
        verified_at=moment + timedelta(seconds=1) - timedelta(microseconds=1),
        is_ours=False,
    )


def _ingest(context: Context, pack: Path, document: SignedDocument) -> None:
    """Read a document of the pack, under every name by which the answer cites it."""
    from spanproof.operations.documents.ingest import ingest_stream

    folder = pack / "documents" / document.doc_hash.hex
    sources = sorted(folder.glob("source.*"))
    if not sources:
        msg = f"Expected the document {document.doc_hash} in the pack, got none."
        raise NotReplayableError(msg, hint=_HINT)
    content = _read(sources[0])
    if Digest.of(content) != document.doc_hash:
        msg = f"Expected {str(sources[0])!r} to be {document.doc_hash}, got {Digest.of(content)}."
        raise BlobDigestMismatchError(msg, hint=_HINT)
    names: list[str | None] = [each for each in document.doc_ids if each != str(document.doc_hash)]
    for name in names or [None]:
        ingest_stream(
            context,
            [content],
            filename=None,
            media_type=document.media_type,
            doc_id=name,
            title=None,
        )


def _read_json(path: Path) -> dict[str, Any]:
    what = f"JSON at {str(path)!r}"
    value = strict_json.parse(
        _read(path), what=what, error=MalformedReceiptError, hint=_HINT, limits=None
    )
    if not isinstance(value, dict) or not isinstance(value.get("verification"), dict):
        msg = f"Expected a verified answer at {str(path)!r}, got something else."
        raise MalformedReceiptError(msg, hint=_HINT)
    try:
        digest_block(value["verification"])
    except (ValueError, RecursionError) as error:
        msg = f"Expected a block that canonical JSON has at {str(path)!r}, got another."
        raise MalformedReceiptError(msg, hint=_HINT) from error
    return value


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        msg = f"Expected a file {str(path)!r}, got {error.strerror or error!r}."
        raise UnreadableFileError(msg, hint=_HINT) from error


def _line(status: LineStatus, words: str) -> Line:
    code = "REPLAY_DIFFERS" if status is LineStatus.FAILED else None
    return Line(question=Question.SUPPORT, status=status, words=words, code=code)
