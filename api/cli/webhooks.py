"""``webhooks``: endpoints that receive events, and their deliveries."""

from __future__ import annotations

from typing import Annotated

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.output import write_json, write_note, write_rich
from spanproof.api.cli.session import open_session

WebhookArgument = Annotated[str, typer.Argument(metavar="WEBHOOK", help="A webhook_id.")]
_ONCE = "Save the secret now: it is not shown again."


def build_webhook_commands() -> typer.Typer:
    """The commands of ``spanproof webhooks``."""
    group = typer.Typer(help="Webhook endpoints.", rich_markup_mode=None)
    group.callback()(_webhooks)
    group.command("add")(add)
    group.command("list")(list_all)
    group.command("remove")(remove)
    group.command("rotate")(rotate)
    group.command("enable")(enable)
    group.command("log")(log)
    group.command("replay")(replay)
    return group


def _webhooks() -> None:
    """Create webhooks and show their deliveries."""


def add(
    url: Annotated[str, typer.Argument(metavar="URL", help="An https address.")],
    *,
    event: Annotated[
        list[str] | None, typer.Option(help="Type of event; may be repeated (default: all).")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Create a webhook. Its secret is printed once."""
    from spanproof.operations.webhooks import endpoints as operation

    with open_session() as context:
        made, secret = operation.add_webhook(context, url, event or ("*",))
    if as_json:
        write_json(made.to_json() | {"secret": secret})
    else:
        write_rich(f"{made.webhook_id}  {secret}")
        write_note(_ONCE)


def list_all(*, as_json: JsonOption = False) -> None:
    """List the webhooks."""
    with open_session() as context:
        found = context.store.deliveries.list_webhooks()
    if as_json:
        write_json({"webhooks": [each.to_json() for each in found]})
        return
    for each in found:
        write_rich(f"{each.webhook_id}  {each.state}  {each.url}  {' '.join(each.events)}")


def remove(webhook: WebhookArgument) -> None:
    """Remove a webhook: it gets no more events, and its secret is deleted."""
    from spanproof.operations.webhooks import endpoints as operation

    with open_session() as context:
        operation.remove_webhook(context, webhook)
    write_note(f"Removed {webhook}")


def rotate(webhook: WebhookArgument, *, as_json: JsonOption = False) -> None:
    """Replace a webhook's secret; for a day both secrets sign."""
    from spanproof.operations.webhooks import endpoints as operation

    with open_session() as context:
        secret = operation.rotate_secret(context, webhook)
    if as_json:
        write_json({"webhook_id": webhook, "secret": secret})
    else:
        write_rich(secret)
        write_note(_ONCE)


def enable(webhook: WebhookArgument) -> None:
    """Enable a webhook that was disabled because it did not answer."""
    from spanproof.operations.webhooks import endpoints as operation

    with open_session() as context:
        operation.enable_webhook(context, webhook)
    write_note(f"Enabled {webhook}")


def log(
    webhook: WebhookArgument,
    *,
    message: Annotated[str | None, typer.Option(help="Only this message_id.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Most tries to list.")] = 100,
    as_json: JsonOption = False,
) -> None:
    """Show delivery attempts, newest first."""
    from spanproof.operations.webhooks import endpoints as operation

    with open_session() as context:
        found = operation.list_tries(context, webhook, message_id=message, limit=limit)
    if as_json:
        write_json({"tries": [each.to_json() for each in found]})
        return
    for each in found:
        row = each.to_json()
        due = f"  next {row['next_at']}" if row["next_at"] else ""
        status = "" if each.status is None else f" {each.status}"
        write_rich(
            f"{row['tried_at']}  {each.message_id}  try {each.attempt}  {each.outcome}{status}{due}"
        )


def replay(
    webhook: WebhookArgument,
    message: Annotated[
        str,
        typer.Argument(metavar="MESSAGE", help="A message_id that 'webhooks log' shows."),
    ],
    *,
    as_json: JsonOption = False,
) -> None:
    """Send a message once more. A running service or worker delivers it."""
    from spanproof.operations.webhooks import endpoints as operation

    with open_session() as context:
        job = operation.replay_message(context, webhook, message)
    if as_json:
        write_json(job.to_json())
    else:
        write_rich(job.job_id)
