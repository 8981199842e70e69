"""What a person decides on a citation or says of an alarm: statements beside the machine's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from spanproof.receipt.statement.events import Event, Subjects
from spanproof.receipt.statement.predicate import NOBODY

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.core.digest import Digest
    from spanproof.receipt.statement.predicate import Actor

#: ``confirm`` and ``withdraw`` are about an earlier decision, the others about the citation.
DecisionAction = Literal["accept", "reject", "waive", "confirm", "withdraw"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision(Event):
    """A decision on one citation of a verification, by its index in the answer (from 0).

    ``verdicts_digest`` is that of the verdicts that the person saw: they stay as they are.
    ``about`` is the id of the decision that is confirmed or withdrawn; ``expires`` ends a waiver.
    """

    KIND: ClassVar[str] = "decision"
    verification_id: str
    citation: int
    action: DecisionAction
    about: str | None = None
    expires: datetime | None = None
    reason: str
    verdicts_digest: Digest
    actor: Actor = NOBODY

    @property
    def subjects(self) -> Subjects:
        """The verdicts."""
        return (("verdicts", self.verdicts_digest),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Acknowledgement(Event):
    """Somebody has seen an alarm or an incident, and says in ``reason`` what is done about it.

    ``raised_digest`` is that of its name: an incident's has an id that a caller chose.
    """

    KIND: ClassVar[str] = "acknowledgement"
    raised: Literal["alarm", "incident"]
    raised_digest: Digest
    reason: str
    actor: Actor = NOBODY

    @property
    def subjects(self) -> Subjects:
        """The alarm or incident."""
        return ((self.raised, self.raised_digest),)
