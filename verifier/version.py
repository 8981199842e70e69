"""``verifier_version``: code, fold list, policy, model and runtime, so that equal means equal."""

from __future__ import annotations

from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING

from spanproof.verifier.quotes.folds import FOLDS_VERSION

if TYPE_CHECKING:
    from spanproof.core.verdicts.model import ModelIdentity
    from spanproof.core.verdicts.policy import Policy

#: Raised whenever the same input may get another verdict from this code.
PROCEDURE = 24


@cache
def _package_version() -> str:
    return metadata.version("spanproof")


def verifier_name() -> str:
    """The part of the version that is the code's alone: ``spanproof@… procedure@24 folds-7``."""
    return f"spanproof@{_package_version()} procedure@{PROCEDURE} {FOLDS_VERSION}"


def verifier_version(policy: Policy, model: ModelIdentity) -> str:
    """A readable line with whole digests: ``spanproof@0.1.0 procedure@24 folds-7 …``."""
    weights = "none" if model.weights_digest is None else str(model.weights_digest)
    return " ".join(
        (
            verifier_name(),
            f"policy@{policy.name}-{policy.version}:{policy.digest}",
            f"model@{model.name}:{weights}",
            f"runtime@{model.runtime}",
        )
    )
