"""The kinds of jobs: each is a function by name, imported at its first run.

A kind is ``run(context, arguments, progress) -> result``. It may run again from its beginning
after a crash, on another machine, or twice at once: each of its writes must be idempotent, under
names that come from its arguments. ``arguments`` and the result are JSON objects, small ones: what
is large stands in a file or a row that they name. It calls ``progress(done, total)`` now and then;
that call raises JobCancelledError once somebody has cancelled the job, so that it ends there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from spanproof.operations.errors import JobKindUnknownError

#: Called with the units done and the units in all.
ProgressCall = Callable[[int, int], None]
#: Its first argument is the tenant's Context, which knows jobs; kinds do not know it.
Run = Callable[[Any, Mapping[str, Any], ProgressCall], Mapping[str, Any]]
#: The kind that tells webhooks.
DELIVERY = "webhook_delivery"
#: Deliveries wait on other people's servers: they have a queue, and threads, of their own.
QueueName = Literal["jobs", "deliveries"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of job; ``place`` is ``module:function``, or the function itself.

    ``is_asked``: a caller asks for it, and can be told to come again where too many wait. What the
    service owes somebody (a sampled verification, a delivery) is always taken.
    """

    name: str
    place: str | Run
    queue: QueueName = "jobs"
    is_asked: bool = False

    def load(self) -> Run:
        """The function."""
        if not isinstance(self.place, str):
            return self.place
        module, _, name = self.place.partition(":")
        found: Run = getattr(import_module(module), name)
        return found


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(name="verification", place="spanproof.operations.verification.job:run", is_asked=True),
        Kind(name="ingest", place="spanproof.operations.documents.ingest_job:run", is_asked=True),
        Kind(name="sampled_verification", place="spanproof.operations.sampling.jobs:run"),
        Kind(name="bulk", place="spanproof.operations.bulk.jobs:run_shard", is_asked=True),
        Kind(
            name="bulk_verification",
            place="spanproof.operations.bulk.jobs:run_upload",
            is_asked=True,
        ),
        Kind(name="drift", place="spanproof.operations.indexes.jobs:run_drift", is_asked=True),
        Kind(
            name="reverification",
            place="spanproof.operations.indexes.jobs:run_reverification",
            is_asked=True,
        ),
        Kind(
            name="index_registration",
            place="spanproof.operations.indexes.jobs:run_registration",
            is_asked=True,
        ),
        Kind(name="report", place="spanproof.operations.report.job:run", is_asked=True),
        Kind(name=DELIVERY, place="spanproof.operations.webhooks.delivery:run", queue="deliveries"),
    )
}


def find_kind(name: str) -> Kind:
    """The kind of that name; raise JobKindUnknownError for any other."""
    if name not in KINDS:
        known = ", ".join(sorted(KINDS))
        msg = f"Expected a kind of job of {known}, got {name!r}."
        raise JobKindUnknownError(msg, hint="Let a worker of the newest version run it.")
    return KINDS[name]
