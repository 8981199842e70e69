"""Witness policies (C2SP tlog-policy): known logs and witnesses, and how many must have cosigned.

The file is octets, names are opaque: they appear here as text in which a byte that is no UTF-8 is
kept as Python's ``surrogateescape`` keeps it, so that different octets are different names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.errors import MalformedTrustError
from spanproof.receipt.keys.verifier_key import parse_log_key
from spanproof.receipt.witness.cosignature import (
    Cosignature,
    CosignerKey,
    find_cosignatures,
    parse_cosigner_key,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from spanproof.receipt.forms.signed_note import Note
    from spanproof.receipt.keys.signing_keys import LogKey

MAX_POLICY_BYTES = 1 << 20
#: Of logs, of witnesses, of groups; the specification asks for 32 at least.
MAX_ENTRIES = 1024
#: The name of the quorum that no witness is needed for.
NONE = "none"
_COUNT = re.compile(r"[1-9][0-9]{0,3}", re.ASCII)
_BLANKS = re.compile(r"[ \t]+")
_FORBIDDEN = re.compile(rb"[^\t\n\x20-\x7e\x80-\xff]")
_HINT = "See the C2SP specification tlog-policy."


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyLog:
    """A log that is accepted; ``url`` is where it can be asked."""

    key: LogKey
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyWitness:
    """A witness under the policy's own name for it; ``url`` is its submission prefix."""

    name: str
    key: CosignerKey
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Witnesses and groups; ``needed`` of them must have witnessed a head."""

    name: str
    needed: int
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WitnessPolicy:
    """Which heads count as witnessed. ``quorum`` names a witness or a group, or is NONE."""

    logs: tuple[PolicyLog, ...]
    witnesses: tuple[PolicyWitness, ...]
    groups: tuple[Group, ...]
    quorum: str

    def is_met(self, cosigners: Collection[CosignerKey]) -> bool:
        """Whether these witnesses are enough."""
        if self.quorum == NONE:
            return True
        met = {each.name for each in self.witnesses if each.key in cosigners}
        # A group appears below its members in the file, so one pass in order settles all.
        for group in self.groups:
            if sum(member in met for member in group.members) >= group.needed:
                met.add(group.name)
        return self.quorum in met


@dataclass(frozen=True, slots=True, kw_only=True)
class Witnessed:
    """Which of the policy's witnesses cosigned a head, and whether they are enough."""

    cosignatures: tuple[Cosignature, ...]
    is_met: bool


def find_witnesses(note: Note, policy: WitnessPolicy) -> Witnessed:
    """Who cosigned the note; raise NoteSignatureError where a known witness's line is false."""
    found = find_cosignatures(note, (each.key for each in policy.witnesses))
    return Witnessed(cosignatures=found, is_met=policy.is_met({each.key for each in found}))


def parse_policy(raw: bytes) -> WitnessPolicy:
    """Read a policy file; raise MalformedTrustError, with the line's number, for anything else."""
    if len(raw) > MAX_POLICY_BYTES:
        msg = f"Expected a policy of at most {MAX_POLICY_BYTES} bytes, got {len(raw)}."
        raise MalformedTrustError(msg, hint=_HINT)
    if _FORBIDDEN.search(raw) or (raw and not raw.endswith(b"\n")):
        msg = "Expected lines that end in a newline and hold no other control but tabs."
        raise MalformedTrustError(msg, hint=_HINT)
    reader = _Reader()
    for number, line in enumerate(raw.decode("utf-8", "surrogateescape").split("\n"), start=1):
        words = _BLANKS.split(line.strip(" \t"))
        if words == [""] or words[0].startswith("#"):
            continue
        try:
            reader.read(words)
        except MalformedTrustError as error:
            msg = f"{error.message.removesuffix('.')}, in line {number} of the witness policy."
            raise MalformedTrustError(msg, hint=error.hint) from error
    return reader.finish()


class _Reader:
    """What the lines above have defined."""

    def __init__(self) -> None:
        self._logs: list[PolicyLog] = []
        self._witnesses: list[PolicyWitness] = []
        self._groups: list[Group] = []
        self._quorum: str | None = None
        self._names: set[str] = set()
        self._members: set[str] = set()

    def read(self, words: list[str]) -> None:
        """One line's words."""
        known: Mapping[str, Callable[[list[str]], None]] = {
            "log": self._read_log,
            "witness": self._read_witness,
            "group": self._read_group,
            "quorum": self._read_quorum,
        }
        keyword, *rest = words
        if keyword not in known:
            raise _fail(expected=f"'log', 'witness', 'group' or 'quorum', got {keyword!r}")
        known[keyword](rest)

    def finish(self) -> WitnessPolicy:
        """The policy, once all lines are read."""
        if self._quorum is None:
            raise _fail(expected="exactly one line 'quorum', got none")
        return WitnessPolicy(
            logs=tuple(self._logs),
            witnesses=tuple(self._witnesses),
            groups=tuple(self._groups),
            quorum=self._quorum,
        )

    def _read_log(self, words: list[str]) -> None:
        if len(words) not in {1, 2}:
            raise _fail(expected=f"'log VKEY [URL]', got {len(words)} words")
        key = parse_log_key(words[0])
        if any(each.key.public_key == key.public_key for each in self._logs):
            raise _fail(expected=f"each log's key once, got that of {key.name!r} again")
        self._logs.append(PolicyLog(key=key, url=words[1] if len(words) == 2 else None))
        _require_few(self._logs, "logs")

    def _read_witness(self, words: list[str]) -> None:
        if len(words) not in {2, 3}:
            raise _fail(expected=f"'witness NAME VKEY [URL]', got {len(words)} words")
        key = parse_cosigner_key(words[1])
        if any(each.key.public_key == key.public_key for each in self._witnesses):
            raise _fail(expected=f"each witness's key once, got that of {key.name!r} again")
        self._define(words[0])
        url = words[2] if len(words) == 3 else None
        self._witnesses.append(PolicyWitness(name=words[0], key=key, url=url))
        _require_few(self._witnesses, "witnesses")

    def _read_group(self, words: list[str]) -> None:
        if len(words) < 3:
            raise _fail(expected="'group NAME all|any|NUMBER NAME…', got fewer words")
        name, count, *members = words
        for member in members:
            if member not in self._names:
                raise _fail(
                    expected=f"a witness or group that a line above defines, got {member!r}"
                )
            if member in self._members:
                raise _fail(expected=f"each name in one group, got {member!r} again")
            self._members.add(member)
        self._define(name)
        numbers = {"any": 1, "all": len(members)}
        needed = int(count) if _COUNT.fullmatch(count) else numbers.get(count, 0)
        if not 1 <= needed <= len(members):
            raise _fail(
                expected=f"'any', 'all' or a number from 1 to {len(members)}, got {count!r}"
            )
        self._groups.append(Group(name=name, needed=needed, members=tuple(members)))
        _require_few(self._groups, "groups")

    def _read_quorum(self, words: list[str]) -> None:
        if len(words) != 1 or self._quorum is not None:
            raise _fail(expected="exactly one line 'quorum NAME', got another")
        if words[0] != NONE and words[0] not in self._names:
            raise _fail(expected=f"a witness or group that a line above defines, got {words[0]!r}")
        self._quorum = words[0]

    def _define(self, name: str) -> None:
        if name == NONE or name in self._names:
            raise _fail(expected=f"a name of its own for each witness and group, got {name!r}")
        self._names.add(name)


def _require_few(entries: list[PolicyLog] | list[PolicyWitness] | list[Group], what: str) -> None:
    if len(entries) > MAX_ENTRIES:
        raise _fail(expected=f"at most {MAX_ENTRIES} {what}, got more")


def _fail(*, expected: str) -> MalformedTrustError:
    return MalformedTrustError(f"Expected {expected}.", hint=_HINT)
