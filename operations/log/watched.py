"""Which logs a witness watches: from verifier keys, a witness policy, a trust file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.errors import KeyNotTrustedError, SettingsError
from spanproof.core.log.merkle import MAX_SIZE
from spanproof.operations.errors import UnreadableFileError
from spanproof.operations.receipts.trust import load_trust
from spanproof.receipt.keys.verifier_key import parse_log_key
from spanproof.receipt.witness.policy import MAX_POLICY_BYTES, parse_policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from spanproof.receipt.keys.signing_keys import LogKey
    from spanproof.receipt.keys.trust_file import TrustFile
    from spanproof.receipt.witness.policy import WitnessPolicy


def read_watched_logs(
    *, vkeys: Iterable[str], policy: Path | None, trust: Path | None
) -> Mapping[str, tuple[LogKey, ...]]:
    """The keys of each log by its origin, which is the name of its keys.

    Raises SettingsError where there is none, MalformedTrustError for what cannot be read.
    """
    keys = [parse_log_key(each) for each in vkeys]
    if policy is not None:
        keys += [log.key for log in read_policy(policy).logs]
    if trust is not None:
        keys += _list_keys(load_trust(trust))
    if not keys:
        msg = "Expected a log to watch, got none."
        raise SettingsError(msg, hint="Give --log VKEY, --policy FILE or --trust FILE.")
    found: dict[str, tuple[LogKey, ...]] = {}
    for key in dict.fromkeys(keys):
        found[key.name] = (*found.get(key.name, ()), key)
    return found


def read_policy(path: Path) -> WitnessPolicy:
    """The witness policy at a path; raise MalformedTrustError or UnreadableFileError."""
    try:
        with path.open("rb") as stream:
            return parse_policy(stream.read(MAX_POLICY_BYTES + 1))
    except OSError as error:
        msg = f"Expected a witness policy at {str(path)!r}, got {error.strerror or error!r}."
        raise UnreadableFileError(msg, hint="Give the path of a C2SP tlog-policy file.") from error


def _list_keys(trust: TrustFile) -> list[LogKey]:
    keys: list[LogKey] = []
    for origin in {log.key.name for log in trust.trusted_root.logs}:
        try:
            # A key that was revoked at any size signs nothing new.
            keys += trust.require_log_keys(origin, size=MAX_SIZE)
        except KeyNotTrustedError:
            continue
    return keys
