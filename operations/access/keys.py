"""API keys made, listed, followed and revoked; every change is a leaf of the tenant's log.

The leaf of a new key comes before its row, that of a revocation after it: after a crash between the
two there is a leaf too many or one to be added by the next call, never a key that no leaf knows and
never one that a leaf calls revoked and that still counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from spanproof.core import canonical_json
from spanproof.core.errors import ConflictError, FieldProblem, InputError, MalformedAnswerError
from spanproof.core.moment import write_signed_moment
from spanproof.operations.access.key_format import Pepper, make_key
from spanproof.operations.access.principal import SCOPES
from spanproof.operations.errors import KeyNotFoundError
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import Change, ConfigChange
from spanproof.store.accounts.access_keys import AccessKey, KeyEnd

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.digest import Digest
    from spanproof.operations.context import Context

#: What the store calls the subject of every key's events.
SUBJECT = "access-keys"
#: How long a key and the one that follows it both count, where nothing else is said.
OVERLAP = timedelta(hours=24)
LIFETIME = timedelta(days=90)
_MOST_LABEL = 200
_LAST_MOMENT = datetime.max.replace(tzinfo=UTC)
_LIST = "List the keys: 'spanproof keys list'."


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRequest:
    """A key to make: its scopes, its end (None: never), and a note for people."""

    scopes: tuple[str, ...]
    expires_at: datetime | None
    label: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """A key as it is shown; ``text`` is the whole key, only if it was just made."""

    key: AccessKey
    now: datetime
    text: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The wire's form, which holds no secret unless the key was just made."""
        key = self.key
        row = {
            "key_id": key.key_id,
            "tenant": key.tenant,
            "scopes": list(key.scopes),
            "label": key.label,
            "state": key.find_state(self.now),
            "created_at": _show(key.created_at),
            "expires_at": _show(key.expires_at),
            "ends_at": _show(key.ends_at),
            "replaces": key.replaces,
            "digest": str(digest_key(key)),
        }
        return row if self.text is None else {"key": self.text} | row


def create_key(home: Context, tenant: Context, wanted: KeyRequest, *, now: datetime) -> NewKey:
    """Make a key of a tenant; ``home`` keeps the keys of all. Raises InputError."""
    return _add(home, tenant, check_request(wanted, now=now), now=now)


def list_keys(home: Context, tenant: str | None, *, now: datetime) -> tuple[NewKey, ...]:
    """The keys of a tenant, or of all; the oldest first."""
    found = home.store.access_keys.list(tenant)
    return tuple(NewKey(key=key, now=now) for key in found)


def rotate_key(
    home: Context,
    tenant: Context,
    key_id: str,
    *,
    overlap: timedelta = OVERLAP,
    now: datetime,
) -> NewKey:
    """Make the key that follows another: the same scopes, as long a life; both count for a while.

    Raises KeyNotFoundError, and ConflictError for a key that does not count now.
    """
    old = require_key(home, tenant.tenant, key_id)
    state = old.find_state(now)
    if state != "active" or any(end.kind == "rotated" for end in old.ends):
        msg = f"Expected a key in use, got {key_id!r}, which is {state} or already followed."
        raise ConflictError(msg, hint=_LIST)
    if not timedelta(0) <= overlap <= LIFETIME:
        msg = f"Expected an overlap of 0 to {LIFETIME.days} days, got {overlap}."
        raise InputError(msg, hint="Give a shorter time.")
    life = None if old.expires_at is None else old.expires_at - old.created_at
    wanted = KeyRequest(
        scopes=tuple(scope for scope in SCOPES if scope in old.scopes),
        # The calendar ends with the year 9999.
        expires_at=None if life is None else now + min(life, _LAST_MOMENT - now),
        label=old.label,
    )
    return _add(home, tenant, wanted, now=now, follows=(old, overlap))


def revoke_key(home: Context, tenant: Context, key_id: str, *, now: datetime) -> NewKey:
    """Revoke a key from now on; a second call only adds the steps that a crash left out."""
    key = require_key(home, tenant.tenant, key_id)
    ending = KeyEnd(kind="revoked", ends_at=now)
    home.store.access_keys.end(key_id, ending, added_at=now)
    if not _is_revocation_logged(tenant, key_id):
        _log(tenant, Change(_name(key_id), digest_key(key), None))
    return NewKey(key=require_key(home, tenant.tenant, key_id), now=now)


def require_key(home: Context, tenant: str, key_id: str) -> AccessKey:
    """A key of this tenant; another's is not found, like one that never was."""
    key = home.store.access_keys.find(key_id)
    if key is None or key.tenant != tenant:
        msg = f"Expected the id of a key of this tenant, got {key_id!r}."
        raise KeyNotFoundError(msg, hint=_LIST)
    return key


def check_request(wanted: KeyRequest, *, now: datetime) -> KeyRequest:
    """The request with its scopes in the order of SCOPES; raise InputError if it is not allowed."""
    problems = []
    unknown = [scope for scope in wanted.scopes if scope not in SCOPES]
    if unknown or not wanted.scopes:
        expected = f"one or more of {', '.join(SCOPES)}"
        got = repr(unknown[0]) if unknown else "none"
        problems.append(FieldProblem(pointer="/scopes", expected=expected, got=got))
    if wanted.expires_at is not None and wanted.expires_at <= now:
        problem = FieldProblem(
            pointer="/expires_at", expected="a moment to come", got=wanted.expires_at.isoformat()
        )
        problems.append(problem)
    if wanted.label is not None and len(wanted.label) > _MOST_LABEL:
        expected = f"at most {_MOST_LABEL} characters"
        problems.append(
            FieldProblem(pointer="/label", expected=expected, got=f"{len(wanted.label)} characters")
        )
    if problems:
        first = problems[0]
        msg = f"Expected {first.expected} at {first.pointer}, got {first.got}."
        raise MalformedAnswerError(msg, hint="See docs/how-to/access.md.", problems=tuple(problems))
    return replace(wanted, scopes=tuple(scope for scope in SCOPES if scope in wanted.scopes))


def digest_key(key: AccessKey) -> Digest:
    """The log's digest of a key: SHA-256 of JCS of its public fields, without its ends."""
    return canonical_json.digest(
        {
            "key_id": key.key_id,
            "tenant": key.tenant,
            "scopes": list(key.scopes),
            "label": key.label,
            "created_at": _show(key.created_at),
            "expires_at": _show(key.expires_at),
            "replaces": key.replaces,
        }
    )


def _add(
    home: Context,
    tenant: Context,
    wanted: KeyRequest,
    *,
    now: datetime,
    follows: tuple[AccessKey, timedelta] | None = None,
) -> NewKey:
    """``follows``: the key that is replaced, and how long both are valid."""
    pepper = Pepper(home.settings.home)
    # Only for the first key: a pepper that is gone later must be restored, not made again.
    if not home.store.access_keys.has_any():
        pepper.make()
    made = make_key()
    key = AccessKey(
        key_id=made.key_id,
        tenant=tenant.tenant,
        scopes=wanted.scopes,
        label=wanted.label,
        secret_digest=pepper.digest(made.text),
        created_at=_cut(now),
        expires_at=None if wanted.expires_at is None else _cut(wanted.expires_at),
        replaces=None if follows is None else follows[0].key_id,
    )
    _log(tenant, Change(_name(key.key_id), None, digest_key(key)))
    ending = None if follows is None else KeyEnd(kind="rotated", ends_at=now + follows[1])
    home.store.access_keys.add(key, ending=ending, added_at=now)
    return NewKey(key=key, now=now, text=made.text)


def _log(tenant: Context, *changes: Change) -> None:
    event = ConfigChange(**tenant.issuer.make_head(), changes=changes)
    tenant.issuer.log_event(event, subject=SUBJECT)
    # A head covers it before anybody uses the key, or believes it gone.
    tenant.log.publish()


def _is_revocation_logged(tenant: Context, key_id: str) -> bool:
    return any(
        change.name == _name(key_id) and change.new is None for change in _list_changes(tenant)
    )


def _list_changes(tenant: Context) -> Sequence[Change]:
    events = (
        parse_event(stored.statement.payload) for stored in tenant.log.find_statements(SUBJECT)
    )
    return [
        change for event in events if isinstance(event, ConfigChange) for change in event.changes
    ]


def _name(key_id: str) -> str:
    return f"access-key:{key_id}"


def _cut(moment: datetime) -> datetime:
    """To the millisecond, as the log's times: the digest covers the time as shown."""
    moment = moment.astimezone(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def _show(moment: datetime | None) -> str | None:
    return None if moment is None else write_signed_moment(moment)
