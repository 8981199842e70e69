"""How an attack is written down: a change of a good bundle, and what must come of it."""

from __future__ import annotations

import base64
import inspect
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from spanproof.receipt.forms.bundle import bundle_to_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.receipt.check.report import CheckOutcome, Question
    from tests.receipt.attacks.scene import Scene

    Bundle: TypeAlias = dict[str, Any]
    #: Changes the bundle that it is given, or returns what the auditor gets instead.
    Change: TypeAlias = Callable[[Scene, Bundle], "Bundle | bytes | Evidence | None"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the auditor has; None: the good receipt, the good trust file, or nothing."""

    receipt: bytes | None = None
    trust: bytes | None = None
    files: dict[str, bytes] = field(default_factory=dict)
    policy: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """A name, why it must fail, and as what: the exit code's name, and the line that says it."""

    name: str
    reason: str
    outcome: CheckOutcome
    question: Question | None
    change: Change

    def make(self, scene: Scene) -> Evidence:
        """What the auditor gets."""
        bundle = bundle_to_json(scene.receipt)
        changed = self.change(scene, bundle)
        if isinstance(changed, Evidence):
            return changed
        return Evidence(
            receipt=changed if isinstance(changed, bytes) else to_file(changed or bundle)
        )


class Register:
    """The attacks of one module; the docstring of each function says why it must fail."""

    def __init__(self) -> None:
        self.attacks: list[Attack] = []

    def add(
        self, outcome: CheckOutcome, question: Question | None = None
    ) -> Callable[[Change], Change]:
        """Add the function below."""

        def take(change: Change) -> Change:
            reason = inspect.getdoc(change)
            assert reason
            self.attacks.append(
                Attack(
                    name=f"{change.__name__}_fail",
                    reason=reason,
                    outcome=outcome,
                    question=question,
                    change=change,
                )
            )
            return change

        return take


def to_file(bundle: Bundle) -> bytes:
    """A bundle as a file."""
    return json.dumps(bundle, indent=1).encode("utf-8") + b"\n"


def decode(text: str) -> bytes:
    """Base64."""
    return base64.b64decode(text, validate=True)


def logged(bundle: Bundle) -> Bundle:
    """The bundle's log entry."""
    entry: Bundle = bundle["verificationMaterial"]["tlogEntries"][0]
    return entry


def proof(bundle: Bundle) -> Bundle:
    """Its inclusion proof."""
    found: Bundle = logged(bundle)["inclusionProof"]
    return found


def envelope(bundle: Bundle) -> Bundle:
    """Its envelope."""
    found: Bundle = bundle["dsseEnvelope"]
    return found
