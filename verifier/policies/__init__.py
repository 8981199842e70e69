"""The shipped policies, as data: ``balanced`` (default), ``strict``, ``review``."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources

from spanproof.core.errors import UnknownPolicyError
from spanproof.core.verdicts.policy import Policy

NAMES = ("balanced", "strict", "review")
#: Where nobody names one.
DEFAULT = "balanced"


def load_policy(name: str) -> Policy:
    """The shipped policy of that name; raise UnknownPolicyError for any other."""
    if name not in NAMES:
        msg = f"Expected one of the policies {', '.join(NAMES)}, got {name!r}."
        raise UnknownPolicyError(msg, hint="Choose one of them with 'policy'.")
    return _read_policy(name)


@cache
def _read_policy(name: str) -> Policy:
    # Every verification asks for one; it is a value, and its file is a part of the package.
    text = resources.files(__name__).joinpath(f"{name}.json").read_text(encoding="utf-8")
    return Policy.from_json(json.loads(text))
