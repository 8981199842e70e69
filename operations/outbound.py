"""Requests to other people's addresses: to public ones only, one hop, within a time.

A name is looked up once and that address is connected to, so that it cannot become another between
the look and the request. Redirects are never followed: they would lead around the fence.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from spanproof.operations.errors import FencedAddressError, MalformedAddressError

if TYPE_CHECKING:
    from collections.abc import Mapping


#: The longest that one request may take, from the look-up of the name to the status.
SECONDS = 15.0
_MOST_CHARACTERS = 2_000
#: Public by their number, and yet a way to an IPv4 address within: compatible, mapped and
#: translated ones, NAT64, 6to4, Teredo; and the prefix whose packets are dropped.
#: Source: RFC 4291, 2765, 6052, 8215, 3056, 4380, 6666.
_CARRIERS = tuple(
    ipaddress.IPv6Network(each)
    for each in (
        "::/96",
        "::ffff:0:0/96",
        "::ffff:0:0:0/96",
        "64:ff9b::/96",
        "64:ff9b:1::/48",
        "2002::/16",
        "2001::/32",
        "100::/64",
    )
)
_PORTS = {"https": 443, "http": 80}


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A parsed address."""

    url: str
    scheme: str
    host: str
    port: int


def parse_address(url: str, *, may_be_private: bool) -> Target:
    """Read an address; raise MalformedAddressError for one that nothing may be sent to.

    ``may_be_private`` also allows plain http, which a public address never has.
    """
    hint = "Give https://host/path, without user, password or fragment."
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        msg = "Expected an address, got other text."
        raise MalformedAddressError(msg, hint=hint) from error
    schemes = {"https", "http"} if may_be_private else {"https"}
    is_plain = url.isascii() and url.isprintable() and " " not in url
    is_bare = parts.username is None and parts.password is None and not parts.fragment
    if (
        parts.scheme not in schemes
        or not parts.hostname
        or not (is_plain and is_bare)
        or len(url) > _MOST_CHARACTERS
        or port == 0
    ):
        # Not the address itself: it may hold a password.
        msg = f"Expected an address of {' or '.join(sorted(schemes))}, got another."
        raise MalformedAddressError(msg, hint=hint)
    port = port or _PORTS[parts.scheme]
    return Target(url=url, scheme=parts.scheme, host=parts.hostname, port=port)


def is_public(address: str) -> bool:
    """Whether an address is of the open network: no host, net or service of ours."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, ipaddress.IPv6Address) and (
        parsed.is_site_local or any(parsed in each for each in _CARRIERS)
    ):
        return False
    return parsed.is_global and not (parsed.is_multicast or parsed.is_reserved)


async def resolve(target: Target, *, may_be_private: bool) -> str:
    """The address to connect to; FencedAddressError where the name leads to a private one too."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    addresses = [str(row[4][0]).partition("%")[0] for row in found]
    if not may_be_private and not all(map(is_public, addresses)):
        msg = f"Expected a public address behind {target.host!r}, got a private one."
        hint = "Use a public one, or set SPANPROOF_WEBHOOK_PRIVATE where that is meant."
        raise FencedAddressError(msg, hint=hint)
    return addresses[0]


def post(target: Target, body: bytes, headers: Mapping[str, str], *, may_be_private: bool) -> int:
    """Send a body and return the status; do not read the answer's body.

    Raises FencedAddressError, TimeoutError, and httpx.HTTPError or OSError for all else.
    """

    async def send() -> int:
        async with asyncio.timeout(SECONDS):
            address = await resolve(target, may_be_private=may_be_private)
            return await _post(target, address, body, headers)

    return asyncio.run(send())


async def _post(target: Target, address: str, body: bytes, headers: Mapping[str, str]) -> int:
    import httpx

    url = httpx.URL(target.url).copy_with(host=address)
    name = f"[{target.host}]" if ":" in target.host else target.host
    is_default = target.port == _PORTS[target.scheme]
    own = {
        "Host": name if is_default else f"{name}:{target.port}",
        "User-Agent": "spanproof-webhooks",
    }
    # No proxy of the environment's: it would look the name up again, beyond the fence.
    async with httpx.AsyncClient(
        follow_redirects=False, trust_env=False, timeout=SECONDS
    ) as client:
        request = client.build_request(
            "POST",
            url,
            content=body,
            headers=own | dict(headers),
            # The certificate is checked for the name, not for the address that it had.
            extensions={"sni_hostname": target.host},
        )
        response = await client.send(request, stream=True)
        await response.aclose()
        return response.status_code
