"""Asking witnesses to cosign the log's newest head (C2SP tlog-witness, the log's side).

1. The newest signed head, and the size that the witness cosigned last, as far as we know.
2. The proof from the one to the other; the witness may name another size (409): once more, then.
3. Its line is verified before it is kept. Whether enough witnesses signed is the policy's to say.

A witness that has seen more leaves than the log has, or another root, is never passed over: the log
was set back or forked, and the operator must know first.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import MalformedNoteError, NoteSignatureError, NotFoundError
from spanproof.operations.log.witness import name_log
from spanproof.receipt.forms.signed_note import (
    Signature,
    parse_lines,
    parse_note,
    write_line,
    write_note,
)
from spanproof.receipt.witness.cosignature import format_cosigner_key, read_timestamp
from spanproof.receipt.witness.cosigned_list import MAX_LIST_BYTES, parse_list
from spanproof.receipt.witness.cosigning import CosignRequest, read_answer, write_request
from spanproof.receipt.witness.policy import find_witnesses
from spanproof.store.log.cosignatures import Cosignatures, StoredCosignature

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    import httpx

    from spanproof.core.log.checkpoint import Checkpoint
    from spanproof.receipt.forms.signed_note import Note
    from spanproof.receipt.witness.cosigned_list import CosignedHead
    from spanproof.receipt.witness.policy import PolicyWitness, WitnessPolicy
    from spanproof.store.database.session import Database
    from spanproof.store.log.reading import LogReader

#: Seconds of silence that end a request.
TIMEOUT = 10.0
#: More than any number of cosignature lines takes.
MAX_ANSWER_BYTES = 1 << 18
_SIZE = re.compile(rb"(?P<size>0|[1-9][0-9]{0,18})\n")
#: A witness names the size that it knows; another run may have asked it in between.
_TRIES = 3


class WitnessStatus(Enum):
    """The outcome of a request to a witness."""

    COSIGNED = "COSIGNED"
    #: It could not be asked, or answered nothing that can be used.
    UNAVAILABLE = "UNAVAILABLE"
    #: It does not know the log or its key, or did not accept the request.
    REFUSED = "REFUSED"
    #: It has seen another history: more leaves, or other ones.
    CONTRADICTED = "CONTRADICTED"


@dataclass(frozen=True, slots=True, kw_only=True)
class WitnessOutcome:
    """A witness by the policy's name for it; ``timestamp`` of its line in seconds since 1970."""

    name: str
    status: WitnessStatus
    words: str
    timestamp: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The row that ``--json`` prints."""
        return {
            "name": self.name,
            "status": self.status.value,
            "detail": self.words,
            "timestamp": self.timestamp,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CosignReport:
    """The head with all lines that are kept below it, and whether they meet the policy."""

    checkpoint: Checkpoint
    note: str
    outcomes: tuple[WitnessOutcome, ...]
    is_witnessed: bool

    @property
    def is_contradicted(self) -> bool:
        """Whether a witness has seen another history."""
        return any(each.status is WitnessStatus.CONTRADICTED for each in self.outcomes)

    def to_json(self) -> dict[str, Any]:
        """What ``log cosign --json`` prints."""
        return {
            "origin": self.checkpoint.origin,
            "size": self.checkpoint.size,
            "root": self.checkpoint.root.hex(),
            "witnessed": self.is_witnessed and not self.is_contradicted,
            "witnesses": [each.to_json() for each in self.outcomes],
            "note": self.note,
        }


def cosign_head(
    log: LogReader,
    database: Database,
    policy: WitnessPolicy,
    *,
    client: httpx.Client,
    clock: Callable[[], datetime],
) -> CosignReport:
    """Ask every witness of the policy that has an address; keep each line that it gives."""
    checkpoint, text = log.latest()
    kept = Cosignatures(database, log.log_id)
    outcomes = tuple(
        _Asking(log=log, kept=kept, client=client, clock=clock, witness=witness).run(
            checkpoint, parse_note(text)
        )
        for witness in policy.witnesses
    )
    note = join_cosignatures(text, kept.list(checkpoint.size))
    met = find_witnesses(parse_note(note), policy).is_met
    return CosignReport(checkpoint=checkpoint, note=note, outcomes=outcomes, is_witnessed=met)


def join_cosignatures(note: str, kept: tuple[StoredCosignature, ...]) -> str:
    """A signed head with the lines of its witnesses below the log's own."""
    parsed = parse_note(note)
    lines = [line for each in kept for line in parse_lines(each.line)]
    return write_note(parsed.text, [*parsed.signatures, *lines])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asking:
    """One witness, asked about one head."""

    log: LogReader
    kept: Cosignatures
    client: httpx.Client
    clock: Callable[[], datetime]
    witness: PolicyWitness

    def run(self, checkpoint: Checkpoint, note: Note) -> WitnessOutcome:
        """Ask, and keep its line."""
        if self.witness.url is None:
            return self._end(WitnessStatus.UNAVAILABLE, "the policy gives no address")
        vkey = format_cosigner_key(self.witness.key)
        last = self.kept.find_last(vkey)
        old_size = 0 if last is None else last.size
        for _ in range(_TRIES):
            if old_size > checkpoint.size:
                return self._outrun(checkpoint, old_size)
            found = self._post(self._to_request(old_size, checkpoint, note))
            if isinstance(found, WitnessOutcome):
                return found
            status, body = found
            size = _SIZE.fullmatch(body) if status == 409 else None
            if size is None:
                return self._judge(status, body, checkpoint, note)
            old_size = int(size["size"])
            self._take_lost()
        return self._end(WitnessStatus.UNAVAILABLE, "it named another size each time")

    def _take_lost(self) -> None:
        """Keep what the witness cosigned and we never got: its own list has it, if it shows one."""
        import httpx

        address = f"{(self.witness.url or '').rstrip('/')}/{name_log(self.log.origin)}/cosigned"
        body = bytearray()
        try:
            with self.client.stream("GET", address) as response:
                for chunk in response.iter_bytes():
                    body += chunk
                    if len(body) > MAX_LIST_BYTES:
                        return
            if response.status_code != 200:
                return
            listed = parse_list(bytes(body))
        except (httpx.HTTPError, httpx.InvalidURL, MalformedNoteError):
            # It is a witness all the same: that list is ours, not of its specification.
            return
        for head in listed.heads:
            with suppress(NotFoundError):
                self._keep_lost(head)

    def _keep_lost(self, head: CosignedHead) -> None:
        """Keep a line of the list; NotFoundError where no head of that size was signed here."""
        text = parse_note(self.log.note(head.size)).text
        key = self.witness.key
        if key.verify(text, head.content):
            line = Signature(name=key.name, key_id=key.key_id, content=head.content)
            kept = StoredCosignature(
                size=head.size, witness=format_cosigner_key(key), line=write_line(line)
            )
            self.kept.add(kept, added_at=self.clock())

    def _to_request(self, old_size: int, checkpoint: Checkpoint, note: Note) -> bytes:
        proof = self.log.prove_consistency(old_size, checkpoint.size) if old_size else None
        hashes = proof.hashes if proof else ()
        text = write_note(note.text, note.signatures)
        return write_request(CosignRequest(old_size=old_size, hashes=hashes, note=text))

    def _post(self, request: bytes) -> tuple[int, bytes] | WitnessOutcome:
        import httpx

        body = bytearray()
        try:
            address = f"{(self.witness.url or '').rstrip('/')}/add-checkpoint"
            with self.client.stream("POST", address, content=request) as response:
                for chunk in response.iter_bytes():
                    body += chunk
                    if len(body) > MAX_ANSWER_BYTES:
                        return self._end(WitnessStatus.UNAVAILABLE, "its answer has no end")
                return response.status_code, bytes(body)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return self._end(WitnessStatus.UNAVAILABLE, f"no answer ({type(error).__name__})")

    def _judge(
        self, status: int, body: bytes, checkpoint: Checkpoint, note: Note
    ) -> WitnessOutcome:
        if status == 422:
            return self._end(WitnessStatus.CONTRADICTED, f"it refuses the proof: {_to_words(body)}")
        if status != 200:
            is_ours = 400 <= status < 500
            kind = WitnessStatus.REFUSED if is_ours else WitnessStatus.UNAVAILABLE
            return self._end(kind, f"it answered {status}: {_to_words(body)}")
        try:
            line = read_answer(body, note, self.witness.key)
        except (MalformedNoteError, NoteSignatureError) as error:
            return self._end(WitnessStatus.UNAVAILABLE, error.message)
        vkey = format_cosigner_key(self.witness.key)
        kept = StoredCosignature(size=checkpoint.size, witness=vkey, line=write_line(line))
        self.kept.add(kept, added_at=self.clock())
        return WitnessOutcome(
            name=self.witness.name,
            status=WitnessStatus.COSIGNED,
            words=f"{checkpoint.size} leaves",
            timestamp=read_timestamp(line.content),
        )

    def _outrun(self, checkpoint: Checkpoint, size: int) -> WitnessOutcome:
        # Another run may have asked about a newer head of this very log meanwhile.
        if size <= self.log.head().size:
            words = f"it has cosigned a newer head, of {size} leaves"
            return self._end(WitnessStatus.UNAVAILABLE, words)
        words = f"it has cosigned {size} leaves and the log has {checkpoint.size}: it was set back"
        return self._end(WitnessStatus.CONTRADICTED, words)

    def _end(self, status: WitnessStatus, words: str) -> WitnessOutcome:
        return WitnessOutcome(name=self.witness.name, status=status, words=words)


def _to_words(body: bytes) -> str:
    text = body[:200].decode("utf-8", "replace")
    return "".join(c if c.isprintable() else " " for c in text).strip() or "nothing"
