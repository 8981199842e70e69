"""Does every part that the service needs work here? What does not says what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from spanproof.core.errors import SpanproofError
from spanproof.operations.settings import find_unknown_variables

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.operations.context import Context

CheckStatus = Literal["ok", "warning", "failed"]
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


def diagnose(context: Context) -> DoctorReport:
    """Try every part once."""
    return DoctorReport(
        checks=(
            _check_variables(),
            *check_readiness(context, thorough=True).checks,
            _check_parser(context),
        )
    )


def check_readiness(context: Context, *, thorough: bool = False) -> DoctorReport:
    """Try what every request needs: the database, the blobs, the policy, the model, the log.

    ``thorough`` puts, reads and deletes an object where blobs stand in an object store, which is
    too much to ask every few seconds.
    """
    return DoctorReport(
        checks=(
            _try("database", lambda: _read_database(context)),
            _try("blobs", lambda: _try_blobs(context, thorough=thorough)),
            _try("policy", lambda: _load_policy(context)),
            _try("model", lambda: context.require_model().identity.name),
            _try("log", lambda: _check_log(context)),
        )
    )


def _try(name: str, work: Callable[[], str]) -> HealthCheck:
    try:
        return HealthCheck(name=name, status="ok", detail=work())
    except SpanproofError as error:
        return _to_failed(name, error)


def _to_failed(name: str, error: SpanproofError) -> HealthCheck:
    return HealthCheck(
        name=name, status="failed", detail=error.message, hint=error.hint, code=error.code
    )


def _check_variables() -> HealthCheck:
    unknown = find_unknown_variables()
    if not unknown:
        return HealthCheck(
            name="settings", status="ok", detail="every SPANPROOF_ variable is known"
        )
    return HealthCheck(
        name="settings",
        status="warning",
        detail=f"Expected known settings, got {', '.join(unknown)}.",
        hint="Correct the name, or unset it.",
        code="BAD_SETTING",
    )


def _read_database(context: Context) -> str:
    context.store.documents.list(limit=1)
    return "reachable"


def _try_blobs(context: Context, *, thorough: bool) -> str:
    blobs = context.store.blobs
    return blobs.probe() if thorough else blobs.answer()


def _load_policy(context: Context) -> str:
    from spanproof.operations.verification.verify import load_named_policy

    policy = load_named_policy(context.settings.policy)
    return f"{policy.name} {policy.version}"


def _check_log(context: Context) -> str:
    context.issuer.check()
    return f"{context.log.origin} takes leaves"


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
