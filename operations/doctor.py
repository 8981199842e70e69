"""Does every part that the service needs work here? What does not says what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from spanproof.core.errors import SpanproofError
from spanproof.operations.log.key_folder import open_keys
from spanproof.operations.log.standing import find_standing
from spanproof.store.log.reading import find_current_origin

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.operations.context import Context

CheckStatus = Literal["ok", "warning", "failed", "skipped"]
#: What the parser is asked to read, to see that its cage works.
_SPECIMEN = b"A sentence to read."
_FULL_CAGE = "landlock+seccomp"


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthCheck:
    """One part: whether it works, the finding of the check, and the next step after a failure."""

    name: str
    status: CheckStatus
    detail: str
    hint: str | None = None
    code: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The fields as they are."""
        return {
            "name": self.name,
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
            "hint": self.hint,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorReport:
    """Every check, in the order in which the parts need each other."""

    checks: tuple[HealthCheck, ...]

    @property
    def is_ready(self) -> bool:
        """At least one check ran and none failed."""
        return bool(self.checks) and not self.failed

    @property
    def failed(self) -> tuple[HealthCheck, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if check.status == "failed")

    def to_json(self) -> dict[str, Any]:
        """``ready`` and the checks."""
        return {"ready": self.is_ready, "checks": [check.to_json() for check in self.checks]}


def diagnose(context: Context, *, offline: bool = False) -> DoctorReport:
    """Try every part once; ``offline`` leaves out, and names, what is asked over a network."""
    checks: list[HealthCheck] = []
    if offline:
        settings = context.settings
        is_here = {
            "database": settings.database_url is None,
            "blobs": settings.blobs is None,
            "policy": True,
            "model": settings.runtime != "remote" and settings.model_url is None,
            "log": settings.database_url is None,
        }
        tries = _list_tries(context, thorough=True).items()
        checks += [_try(name, work) if is_here[name] else _skip(name) for name, work in tries]
    else:
        checks += check_readiness(context, thorough=True).checks
    checks += [_try("keys", lambda: _check_keys(context)), _check_parser(context)]
    if context.settings.log_witnesses is not None:
        checks.append(_skip("witnesses") if offline else _check_witnesses(context))
    return DoctorReport(checks=tuple(checks))


def check_readiness(context: Context, *, thorough: bool = False) -> DoctorReport:
    """Try what every request needs: the database, the blobs, the policy, the model, the log.

    ``thorough`` puts, reads and deletes an object where blobs stand in an object store, which is
    too much to ask every few seconds.
    """
    tries = _list_tries(context, thorough=thorough)
    return DoctorReport(checks=tuple(_try(name, work) for name, work in tries.items()))


def _list_tries(context: Context, *, thorough: bool) -> dict[str, Callable[[], str]]:
    return {
        "database": lambda: _read_database(context),
        "blobs": lambda: _try_blobs(context, thorough=thorough),
        "policy": lambda: _load_policy(context),
        "model": lambda: context.require_model().identity.name,
        "log": lambda: _check_log(context),
    }


def _skip(name: str) -> HealthCheck:
    return HealthCheck(name=name, status="skipped", detail="it is asked over a network")


def _try(name: str, work: Callable[[], str]) -> HealthCheck:
    try:
        return HealthCheck(name=name, status="ok", detail=work())
    except SpanproofError as error:
        return _to_failed(name, error)


def _to_failed(name: str, error: SpanproofError) -> HealthCheck:
    return HealthCheck(
        name=name, status="failed", detail=error.message, hint=error.hint, code=error.code
    )


def _read_database(context: Context) -> str:
    context.store.documents.list(limit=1)
    return "reachable"


def _try_blobs(context: Context, *, thorough: bool) -> str:
    blobs = context.store.blobs
    return blobs.probe() if thorough else blobs.answer()


def _load_policy(context: Context) -> str:
    from spanproof.operations.verification.judging import load_named_policy

    policy = load_named_policy(context.settings.policy)
    return f"{policy.name} {policy.version}"


def _check_log(context: Context) -> str:
    context.issuer.check()
    return f"{context.log.origin} takes leaves"


def _check_keys(context: Context) -> str:
    """Every key that signs now is here and opens with the passphrase."""
    keys = open_keys(context.settings)
    if not keys.keys.entry_keys:
        return "none yet; the first verification makes them"
    key_id = keys.find_entry_key().key_id
    origin = next((each.key.name for each in reversed(keys.keys.all_log_keys)), None)
    heads = 0 if origin is None else len(keys.find_log_keys(origin))
    return f"{key_id} signs receipts, {heads} keys sign the heads of {origin}"


def _check_witnesses(context: Context) -> HealthCheck:
    """Whether a witness has seen more of the log than is here."""
    origin = find_current_origin(context.store.database)
    if origin is None:
        return HealthCheck(name="witnesses", status="ok", detail="there is no log yet")
    standing = find_standing(context.settings, context.store.database, origin)
    for each in standing.findings:
        return HealthCheck(
            name="witnesses",
            status="failed",
            detail=f"{each.place}: {each.message}",
            code=each.code,
        )
    status: CheckStatus = "warning" if standing.unasked else "ok"
    return HealthCheck(
        name="witnesses", status=status, detail="; ".join((standing.words, *standing.unasked))
    )


def _check_parser(context: Context) -> HealthCheck:
    parser = context.parser
    try:
        read = parser.extract(_SPECIMEN, media_type="text/plain", filename="specimen")
    except SpanproofError as error:
        return _to_failed("parser", error)
    detail = f"reads in its cage (sandbox: {read.sandbox}, engine: {parser.engine})"
    if read.sandbox == _FULL_CAGE or parser.cage == "off":
        return HealthCheck(name="parser", status="ok", detail=detail)
    hint = "Use a kernel with Landlock and libseccomp; SPANPROOF_SANDBOX=required insists on both."
    return HealthCheck(
        name="parser", status="warning", detail=detail, hint=hint, code="SANDBOX_UNAVAILABLE"
    )
