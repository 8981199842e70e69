"""A value of the tenant's configuration that the log hears of before it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.operations.receipts.issuing import CONFIGURATION
from spanproof.receipt.statement.events import Change, ConfigChange

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from spanproof.core.digest import Digest
    from spanproof.operations.context import Context
    from spanproof.receipt.statement.predicate import Actor
    from spanproof.store.configuration import ConfiguredValue


def set_logged(  # noqa: PLR0913 - what, how the log tells of it, by whom and when
    context: Context,
    name: str,
    value: str,
    *,
    digest: Callable[[str], Digest],
    actor: Actor,
    now: datetime,
) -> ConfiguredValue:
    """Let a value hold from now on; the one that holds already changes nothing.

    Raises LogError where the log takes no leaf: then nothing is changed.
    """

    def announce(before: str | None) -> None:
        old = None if before is None else digest(before)
        changes = (Change(name, old, digest(value)),)
        event = ConfigChange(**context.issuer.make_head(), changes=changes, actor=actor)
        context.issuer.log_event(event, subject=CONFIGURATION)

    sub = actor.oidc_sub_hash
    found, _ = context.store.configuration.set(
        name,
        value,
        actor_key_id=actor.key_id,
        actor_sub=None if sub is None else str(sub),
        since=now,
        announce=announce,
    )
    return found
