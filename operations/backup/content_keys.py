"""The wrapped keys of encrypted contents, in a file of their own: a backup never has them.

One JSON object a line. The keys are wrapped: without the key file of the home (``keys/``), or the
key management service, they open nothing. Erasing destroys a key here and not in such a file: keep
the newest file alone.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections import defaultdict
from contextlib import closing
from typing import TYPE_CHECKING

from spanproof.core.errors import OutputError
from spanproof.operations.errors import BackupRefusedError
from spanproof.operations.tenants import Tenants
from spanproof.receipt.keys.key_files import create_file
from spanproof.store.sealing.content_keys import WrappedKey

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from spanproof.operations.settings import Settings


def save_keys(settings: Settings, path: Path) -> int:
    """Write the keys of all tenants into a new file; how many they are. OutputError."""
    lines = []
    with closing(Tenants(settings)) as tenants:
        for name in tenants.names():
            with tenants.using(name) as context:
                for each in context.store.content_keys.list_all():
                    wrapped = base64.b64encode(each.wrapped).decode("ascii")
                    row = {"tenant": name} | each._asdict() | {"wrapped": wrapped}
                    lines.append(json.dumps(row, ensure_ascii=True).encode("ascii") + b"\n")
    try:
        create_file(path, b"".join(lines))
    except OSError as error:
        msg = f"Expected a new file {str(path)!r} for the content keys, got {error.strerror}."
        raise OutputError(msg, hint="Name a file that is not there yet.") from error
    return len(lines)


def read_keys(path: Path) -> dict[str, list[WrappedKey]]:
    """The keys in a file, by tenant; BackupRefusedError for another file."""
    found: defaultdict[str, list[WrappedKey]] = defaultdict(list)
    try:
        for line in path.read_bytes().splitlines():
            row = json.loads(line)
            key = WrappedKey(
                kind=str(row["kind"]),
                subject=str(row["subject"]),
                key_id=str(row["key_id"]),
                wrapped=base64.b64decode(row["wrapped"], validate=True),
            )
            found[str(row["tenant"])].append(key)
    except (OSError, ValueError, KeyError, TypeError, binascii.Error) as error:
        msg = f"Expected a file of content keys in {str(path)!r}, got {type(error).__name__}."
        raise BackupRefusedError(msg, hint="Give what 'spanproof backup --keys' wrote.") from error
    return found


def put_keys(settings: Settings, keys: Mapping[str, Sequence[WrappedKey]]) -> int:
    """Put keys into the stores of their tenants; those of a tenant that is not here are left."""
    added = 0
    with closing(Tenants(settings)) as tenants:
        for name in tenants.names():
            if name in keys:
                with tenants.using(name) as context:
                    added += context.store.content_keys.add_all(keys[name])
    return added
