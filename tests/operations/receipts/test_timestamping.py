"""A receipt gets a timestamp from an authority that answers over HTTP."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING

import httpx
import pytest

from spanproof.core.errors import ConflictError, EvidenceError, MalformedReceiptError
from spanproof.operations.errors import AuthorityUnreachableError, UnreadableFileError
from spanproof.operations.receipts.timestamping import add_timestamp
from spanproof.receipt.check.timestamp import MAX_RESPONSE_BYTES, check_timestamp
from spanproof.receipt.forms.bundle import MAX_TIMESTAMPS, parse_bundle
from tests.receipt.authority import LocalAuthority
from tests.receipt.samples import Issuer, to_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> LocalAuthority:
    return LocalAuthority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A receipt's file."""
    path = tmp_path / "one.sigstore.json"
    path.write_bytes(to_bytes(Issuer().issue()))
    return path


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with httpx.Client(trust_env=False) as client:
        yield client


@contextmanager
def serve(answer: Callable[[bytes], bytes], *, status: int = 200) -> Iterator[str]:
    """A server on this machine that answers every request alike."""

    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.headers["Content-Type"] == "application/timestamp-query"
            body = answer(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Door) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def test_a_timestamp_is_added_and_holds(
    authority: LocalAuthority, path: Path, client: httpx.Client
) -> None:
    before = parse_bundle(path.read_bytes())
    with serve(authority.answer) as url:
        stamped = add_timestamp(path, [authority.trusted], client=client, url=url)
    after = parse_bundle(stamped.content)
    assert after.envelope == before.envelope
    (token,) = after.timestamps
    found = check_timestamp(token, before.envelope.signature, [authority.trusted])
    assert found == stamped.timestamp
    record = stamped.to_json()
    assert record["authority"] == "https://tsa.example.com"
    assert record["moment"] < record["latest"]


def test_an_answer_that_does_not_hold_is_not_added(
    authority: LocalAuthority, path: Path, client: httpx.Client, tmp_path: Path
) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    other = LocalAuthority(folder)
    with serve(other.answer) as url, pytest.raises(EvidenceError, match="does not"):
        add_timestamp(path, [authority.trusted], client=client, url=url)
    replayed = authority.answer
    seen: list[bytes] = []

    def replay(request: bytes) -> bytes:
        seen.append(replayed(request))
        return seen[0]

    with serve(replay) as url:
        add_timestamp(path, [authority.trusted], client=client, url=url)
        with pytest.raises(EvidenceError, match="Nonce mismatch"):
            add_timestamp(path, [authority.trusted], client=client, url=url)


def test_who_does_not_answer_is_told(
    authority: LocalAuthority, path: Path, client: httpx.Client
) -> None:
    trusted = [authority.trusted]
    with (
        serve(lambda _: b"busy", status=503) as url,
        pytest.raises(AuthorityUnreachableError, match="got status 503"),
    ):
        add_timestamp(path, trusted, client=client, url=url)
    with (
        serve(lambda _: b"0" * (MAX_RESPONSE_BYTES + 1)) as url,
        pytest.raises(AuthorityUnreachableError, match="at most 65536 bytes"),
    ):
        add_timestamp(path, trusted, client=client, url=url)
    with pytest.raises(AuthorityUnreachableError, match="ConnectError"):
        add_timestamp(path, trusted, client=client, url="http://127.0.0.1:1/")
    with pytest.raises(EvidenceError, match="got none"):
        add_timestamp(path, [], client=client)


def test_only_receipts_with_room_are_stamped(
    authority: LocalAuthority, path: Path, client: httpx.Client, tmp_path: Path
) -> None:
    trusted = [authority.trusted]
    with pytest.raises(UnreadableFileError, match="a receipt at"):
        add_timestamp(tmp_path / "none", trusted, client=client)
    full = replace(parse_bundle(path.read_bytes()), timestamps=(b"token",) * MAX_TIMESTAMPS)
    path.write_bytes(to_bytes(full))
    with pytest.raises(ConflictError, match="fewer than 8 timestamps"):
        add_timestamp(path, trusted, client=client)
    path.write_bytes(b"{}")
    with pytest.raises(MalformedReceiptError):
        add_timestamp(path, trusted, client=client)
