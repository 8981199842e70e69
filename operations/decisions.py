"""Decisions of people on citations: accept, reject, waive, confirm a waiver, withdraw.

A decision is a signed ``decision`` statement in the tenant's log, and nothing else is stored. The
machine's verdict stays as it is, and so does every earlier decision: who changes a mind adds one.
A waiver excuses a finding until it expires, and counts once a second key or person confirms it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from spanproof.core.digest import Digest
from spanproof.core.errors import ConflictError, InputError, NotFoundError
from spanproof.core.moment import write_moment
from spanproof.operations.webhooks.endpoints import DECISION_RECORDED, notify
from spanproof.receipt.statement.decision_events import Decision
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.issuance import actor_to_json
from spanproof.receipt.statement.predicate import NOBODY
from spanproof.store.log.reading import list_events
from spanproof.verifier.formats.registry import parse_payload

if TYPE_CHECKING:
    from spanproof.operations.context import Context
    from spanproof.receipt.statement.decision_events import DecisionAction
    from spanproof.receipt.statement.predicate import Actor

MOST_REASON_CHARACTERS = 500
#: A waiver is no pardon for ever: after this somebody must look again.
LONGEST_WAIVER = timedelta(days=366)
#: Actions on the citation itself; the others are about an earlier decision.
OPENING: Final = ("accept", "reject", "waive")
_WORDS: Final = {"accept": "accepted", "reject": "rejected", "waive": "waived"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionOrder:
    """A decision as it was asked for; ``citation`` is given with an opening action, else about."""

    action: DecisionAction
    reason: str
    citation: int | None = None
    about: str | None = None
    expires: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDecision:
    """One statement, and the index of its leaf in the log of its ``origin``."""

    event: Decision
    log_index: int

    def to_json(self) -> dict[str, Any]:
        """The decision as it is sent."""
        event = self.event
        return {
            "decision_id": event.event_id,
            "verification_id": event.verification_id,
            "citation": event.citation,
            "action": event.action,
            "about": event.about,
            "expires": None if event.expires is None else write_moment(event.expires),
            "reason": event.reason,
            "time": write_moment(event.time),
            "actor": actor_to_json(event.actor),
            "verdicts_digest": str(event.verdicts_digest),
            "log": {"origin": event.origin, "index": self.log_index},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What holds of a citation: ``accepted``, ``rejected``, ``waived``, ``proposed``, ``expired``.

    ``proposed``: a waiver that no second person has confirmed. ``decision`` is the one that holds.
    """

    word: str
    decision: StoredDecision


def record_decision(
    context: Context, verification_id: str, order: DecisionOrder, *, actor: Actor
) -> StoredDecision:
    """Sign and log a decision. The same order of the same person again changes nothing.

    Raises VerificationNotFoundError or VerificationErasedError; InputError for an order that is not
    whole; NotFoundError for a decision that is not this answer's; ConflictError without an
    identity, for a waiver confirmed by its own author, and for what is no longer open; LogError
    where no leaf can be logged: then nothing is decided.
    """
    if actor == NOBODY:
        msg = "Expected a decision by a key or an OpenID subject, got one by nobody."
        raise ConflictError(msg, hint="Make a key ('spanproof keys create'), and sign in with it.")
    stored = context.store.answers.load(verification_id)
    words = order.reason.strip()
    if not 0 < len(words) <= MOST_REASON_CHARACTERS:
        msg = f"Expected a reason of 1 to {MOST_REASON_CHARACTERS} characters, got {len(words)}."
        raise InputError(msg, hint="Give a short reason without names: it stays for ever.")
    own = len(parse_payload(stored.raw, stored.block["import"]["format"]).answer.citations)
    # Citations that repair attached come behind the answer's own.
    citations = max([own, *(verdict["citation"] + 1 for verdict in stored.block["verdicts"])])
    head = context.issuer.make_head()
    # One process at a time: a decision is about those that it has read.
    with context.store.erasures.database_lock():
        known = list_decisions(context, verification_id)
        event = Decision(
            **head,
            verification_id=verification_id,
            citation=_find_citation(order, known, citations),
            action=order.action,
            about=order.about,
            expires=_check_expiry(order, head["time"]),
            reason=words,
            verdicts_digest=Digest.parse(stored.block["verdicts_digest"]),
            actor=actor,
        )
        standing = find_standing(known, event.citation, head["time"])
        same = _find_same(known, event, standing)
        if same is not None:
            return same
        _require_open(event, standing)
        # Under the answer's own name: what is exported of an answer has its decisions.
        context.issuer.log_event(event, subject=verification_id)
        # As it was signed: a statement counts milliseconds.
        made = list_decisions(context, verification_id)[-1]
    context.log.publish()
    said = made.to_json()
    # No word of a person leaves in a message.
    del said["reason"]
    notify(context, DECISION_RECORDED, said, event_id=event.event_id)
    return made


def list_decisions(context: Context, verification_id: str) -> tuple[StoredDecision, ...]:
    """Everything that was decided on a verification, the oldest first."""
    found = []
    for stored in list_events(context.store.database, Decision.KIND, [verification_id]):
        event = parse_event(stored.statement.payload)
        if isinstance(event, Decision):
            found.append(StoredDecision(event=event, log_index=stored.index))
    return tuple(found)


def find_standing(
    decisions: tuple[StoredDecision, ...], citation: int, now: datetime
) -> Standing | None:
    """The newest decision on a citation that was not withdrawn; None where there is none."""
    gone = {each.event.about for each in decisions if each.event.action == "withdraw"}
    confirmed = {
        each.event.about
        for each in decisions
        if each.event.action == "confirm" and each.event.event_id not in gone
    }
    for each in reversed(decisions):
        event = each.event
        if event.citation != citation or event.action not in OPENING or event.event_id in gone:
            continue
        word = _WORDS[event.action]
        if event.action == "waive":
            word = "waived" if event.event_id in confirmed else "proposed"
            word = "expired" if event.expires is None or event.expires <= now else word
        return Standing(word=word, decision=each)
    return None


def _find_citation(order: DecisionOrder, known: tuple[StoredDecision, ...], citations: int) -> int:
    is_opening = order.action in OPENING
    if is_opening is (order.citation is None) or is_opening is (order.about is not None):
        needed = "citation" if is_opening else "about"
        msg = f"Expected {needed!r} alone for {order.action!r}, got another combination."
        raise InputError(msg, hint="accept, reject, waive: citation; confirm, withdraw: about.")
    if order.citation is not None:
        if not 0 <= order.citation < citations:
            msg = f"Expected the index of a citation below {citations}, got {order.citation}."
            raise InputError(msg, hint="Indexes count from 0, as 'citation' of a verdict does.")
        return order.citation
    for each in known:
        if each.event.event_id == order.about:
            return each.event.citation
    msg = f"Expected a decision on this verification, got {str(order.about)[:80]!r}."
    raise NotFoundError(msg, hint="List them: GET /v1/verifications/{id}/decisions.")


def _check_expiry(order: DecisionOrder, now: datetime) -> datetime | None:
    if order.action != "waive":
        if order.expires is not None:
            msg = f"Expected an expiry for 'waive' only, got one for {order.action!r}."
            raise InputError(msg, hint="Leave 'expires' out.")
        return None
    if order.expires is None or not now < order.expires <= now + LONGEST_WAIVER:
        msg = f"Expected a waiver that ends within {LONGEST_WAIVER.days} days, got another."
        raise InputError(msg, hint="Give 'expires', a moment in the future.")
    return order.expires.astimezone(UTC).replace(microsecond=0)


def _find_same(
    known: tuple[StoredDecision, ...], event: Decision, standing: Standing | None
) -> StoredDecision | None:
    """The decision that says the same already: a form may be sent twice."""
    if event.action in OPENING:
        candidates = [] if standing is None else [standing.decision]
    else:
        candidates = [each for each in known if each.event.about == event.about]
    for each in candidates:
        old = each.event
        said = (event.action, event.actor, event.reason, event.expires)
        if (old.action, old.actor, old.reason, old.expires) == said:
            return each
    return None


def _require_open(event: Decision, standing: Standing | None) -> None:
    if event.action in OPENING:
        return
    if standing is None or standing.decision.event.event_id != event.about:
        msg = "Expected the decision that holds of this citation, got an earlier one."
        raise ConflictError(msg, hint="List the decisions, and name the newest one.")
    if event.action == "withdraw":
        return
    if standing.word != "proposed":
        msg = f"Expected a waiver that waits for a second person, got one that is {standing.word}."
        raise ConflictError(msg, hint="Propose it anew.")
    if standing.decision.event.actor == event.actor:
        msg = "Expected a second person to confirm a waiver, got the one who proposed it."
        raise ConflictError(msg, hint="Let somebody else confirm it, with a key of their own.")


def describe_standing(standing: Standing | None) -> dict[str, Any] | None:
    """What holds, as it is sent."""
    if standing is None:
        return None
    expires = standing.decision.event.expires
    return {
        "word": standing.word,
        "decision_id": standing.decision.event.event_id,
        "expires": None if expires is None else write_moment(expires),
    }


def report_decisions(context: Context, verification_id: str) -> dict[str, Any]:
    """The list of an answer's decisions, and what holds of each citation that has one."""
    # An unknown answer has no decisions, and is an error.
    context.store.answers.load(verification_id)
    found, now = list_decisions(context, verification_id), datetime.now(UTC)
    indexes = sorted({each.event.citation for each in found})
    return {
        "decisions": [each.to_json() for each in found],
        "standing": [
            {"citation": index} | (describe_standing(standing) or {})
            for index in indexes
            if (standing := find_standing(found, index, now)) is not None
        ],
    }
