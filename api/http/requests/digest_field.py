"""``Content-Digest`` and ``Repr-Digest`` (RFC 9530): what the caller says its bytes are."""

import base64
import binascii
import re

from spanproof.core.digest import Digest
from spanproof.core.errors import MalformedDigestError
from spanproof.operations.errors import DigestMismatchError

#: One member of the field's dictionary: an algorithm and a byte sequence (RFC 8941).
_MEMBER = re.compile(r"\s*([a-z0-9*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):\s*", re.ASCII)
_ALGORITHM = "sha-256"
_DIGEST_BYTES = 32


def parse_digest_field(value: str) -> Digest:
    """The SHA-256 of a digest field; raise MalformedDigestError where it gives none.

    Other algorithms may stand beside it. Alone they are refused: a check that was asked for and
    does not run would look like one that passed.
    """
    members = [_MEMBER.fullmatch(member) for member in value.split(",")]
    found = {match[1]: match[2] for match in members if match}
    try:
        content = base64.b64decode(found[_ALGORITHM], validate=True)
    except (KeyError, binascii.Error) as error:
        raise _to_malformed(value) from error
    if None in members or len(content) != _DIGEST_BYTES:
        raise _to_malformed(value)
    return Digest(content.hex())


def read_digest_fields(*fields: str | None) -> Digest | None:
    """The one digest of several fields; DigestMismatchError where two differ, None without any."""
    given = {parse_digest_field(field) for field in fields if field is not None}
    if len(given) > 1:
        msg = "Expected one digest, got two that differ."
        raise DigestMismatchError(msg, hint="Send Content-Digest or Repr-Digest, not both.")
    return next(iter(given), None)


def _to_malformed(value: str) -> MalformedDigestError:
    shown = value if len(value) <= 80 else value[:77] + "..."
    msg = f"Expected 'sha-256=:' + base64 of 32 bytes + ':', got {shown!r}."
    return MalformedDigestError(msg, hint="Send the whole SHA-256 as RFC 9530 writes it.")
