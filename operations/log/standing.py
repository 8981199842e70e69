"""Whether a log still has what others saw of it: its high-water mark, and its witnesses' heads.

A database that was restored does not know that it once had more leaves. What it may say then is
that it is behind, never another history under the same name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.errors import MalformedNoteError, NoteSignatureError
from spanproof.operations.errors import LogUnreachableError
from spanproof.operations.log.opening import to_log_mark
from spanproof.operations.log.source import UrlLog
from spanproof.operations.log.witness import name_log, read_policy
from spanproof.receipt.check.finding import Findings
from spanproof.receipt.forms.checkpoint_note import parse_checkpoint
from spanproof.receipt.forms.signed_note import parse_note
from spanproof.receipt.witness.cosignature import find_cosignatures
from spanproof.store.log.cosignatures import Cosignatures
from spanproof.store.log.mark import HighWaterMark
from spanproof.store.log.reading import LogReader

if TYPE_CHECKING:
    import httpx

    from spanproof.core.log.checkpoint import Checkpoint
    from spanproof.operations.settings import Settings
    from spanproof.receipt.witness.policy import PolicyWitness
    from spanproof.store.database.session import Database

BEHIND = "LOG_BEHIND"
FORKED = "LOG_FORKED"
_NEXT = (
    "It signs nothing more under this name: restore a newer backup, or 'spanproof log recover "
    "--new-shard'."
)
_NO_MARK = (
    "its high-water mark is not here, so it signs nothing: put back the mark of the host that "
    "wrote last, or 'spanproof log recover --new-shard'"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What the mark and the witnesses know beyond the log; ``unasked`` witnesses did not answer."""

    words: str
    findings: Findings
    unasked: tuple[str, ...]


def find_standing(
    settings: Settings, database: Database, origin: str, *, client: httpx.Client | None = None
) -> Standing:
    """Compare a log with its mark, and with what each witness of the settings' policy cosigned.

    Nothing is signed, and without a policy nobody is asked.
    """
    findings = Findings()
    reader = LogReader.find(database, origin)
    head = reader.head()
    cosigned = Cosignatures(database, reader.log_id).list_sizes()
    latest = f"the last cosigned head has {cosigned[-1]}" if cosigned else "none is cosigned"
    words = [f"{head.origin} has {head.size} leaves, {latest}"]
    mark = HighWaterMark(to_log_mark(settings)).read()
    if mark is None:
        words.append(_NO_MARK)
    elif mark.origin == head.origin:
        _compare(reader, mark, "the high-water mark", "signed", findings)
    unasked = []
    policy = settings.log_witnesses
    for witness in () if policy is None else read_policy(policy).witnesses:
        try:
            seen = _read_cosigned(witness, head.origin, client)
        except (LogUnreachableError, MalformedNoteError, NoteSignatureError) as error:
            unasked.append(f"{witness.name}: {error.message}")
            continue
        if seen is None:
            words.append(f"{witness.name} has cosigned nothing of it")
        else:
            words.append(f"{witness.name} has cosigned {seen.size}")
            _compare(reader, seen, witness.name, "cosigned", findings)
    return Standing(words="; ".join(words), findings=findings, unasked=tuple(unasked))


def _compare(reader: LogReader, seen: Checkpoint, place: str, did: str, findings: Findings) -> None:
    size = reader.head().size
    if seen.size > size:
        message = f"Expected the {seen.size} leaves that were {did}, got {size}. {_NEXT}"
        findings.add(code=BEHIND, place=place, message=message)
        return
    root = reader.read_root(seen.size)
    if root != seen.root:
        message = (
            f"Expected the root {seen.root.hex()} that was {did} for {seen.size} leaves, got "
            f"{root.hex()}. {_NEXT}"
        )
        findings.add(code=FORKED, place=place, message=message)


def _read_cosigned(
    witness: PolicyWitness, origin: str, client: httpx.Client | None
) -> Checkpoint | None:
    """The last head of the log that the witness cosigned, its signature verified."""
    if witness.url is None:
        msg = "Expected an address in the policy, got none."
        raise LogUnreachableError(msg, hint="Add the witness's address to the policy.")
    place = UrlLog(f"{witness.url.rstrip('/')}/{name_log(origin)}", client=client)
    try:
        found = place.find_head()
    finally:
        if client is None:
            place.close()
    if found is None:
        return None
    note = parse_note(found.text)
    head = parse_checkpoint(note.text)
    if head.origin != origin or not find_cosignatures(note, [witness.key]):
        msg = f"Expected a head of {origin!r} that {witness.name!r} cosigned, got another."
        raise MalformedNoteError(msg, hint="Check the witness's address and key in the policy.")
    return head
