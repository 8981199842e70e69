"""What the service can be made to fetch: a listed host's document, and nothing from within."""

from __future__ import annotations

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.errors import SettingsError
from spanproof.operations.documents.url_fetch import Fetcher
from spanproof.operations.errors import (
    DocumentTooLargeError,
    FetchFailedError,
    FetchOffError,
    FetchRefusedError,
)
from spanproof.operations.outbound import is_public
from spanproof.operations.settings import Settings
from tests.api.access import Guarded, run_guarded
from tests.api.conftest import check_problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanproof.ingest.sandbox import Parser

BODY = b"Defective goods are replaced within four business days."
PUBLIC = "93.184.215.14"
LISTED = ("docs.example.com", "docs.example.com:8080")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.asked.append((self.headers["Host"], self.path))  # type: ignore[attr-defined]
        name = self.path.partition("?")[0]
        status = 302 if name == "/moved" else 404 if name == "/gone" else 200
        self.send_response(status)
        if name == "/moved":
            self.send_header("Location", "http://169.254.169.254/latest/meta-data/")
        if name == "/coded":
            self.send_header("Content-Encoding", "gzip")
        lengths = {"/huge": 10**12, "/short": len(BODY) + 5, "/digits": "9" * 5000}
        length = lengths.get(name, len(BODY))
        if name == "/endless":
            self.send_header("Connection", "close")
        else:
            self.send_header("Content-Length", str(length))
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.end_headers()
        self.wfile.write(BODY * (400 if name == "/endless" else 1))
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def server() -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as running:
        running.asked = []  # type: ignore[attr-defined]
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


class Network:
    """Names and addresses as a test wants them; every connection ends at the server here."""

    def __init__(self, server: ThreadingHTTPServer, *addresses: str) -> None:
        self.port = server.server_address[1]
        self.addresses = list(addresses)
        self.resolved: list[str] = []
        self.connected: list[tuple[str, int]] = []

    def resolve(self, host: str, port: int) -> list[str]:
        del port
        self.resolved.append(host)
        found = list(self.addresses)
        # Whoever asks again is told another one.
        self.addresses = ["127.0.0.1"]
        return found

    def connect(self, place: tuple[str, int], timeout: float) -> socket.socket:
        self.connected.append(place)
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)

    def open(self, hosts: tuple[str, ...] = LISTED, most_bytes: int = 10_000) -> Fetcher:
        return Fetcher(
            hosts,
            most_bytes=most_bytes,
            stall_seconds=5,
            total_seconds=10,
            resolve=self.resolve,
            connect=self.connect,
        )


def read(fetcher: Fetcher, url: str) -> bytes:
    with fetcher.fetch(url) as fetched:
        return b"".join(fetched.chunks)


def test_what_is_checked_is_what_is_connected_to(server: ThreadingHTTPServer) -> None:
    network = Network(server, PUBLIC, "2606:2800:21f:cb07:6820:80da:af6b:8b2c")
    assert read(network.open(), "http://docs.example.com/a.txt?v=1") == BODY
    # Once, though the name says another address by now.
    assert network.resolved == ["docs.example.com"]
    assert network.connected == [(PUBLIC, 80)]
    assert server.asked[-1] == ("docs.example.com", "/a.txt?v=1")  # type: ignore[attr-defined]
    network = Network(server, PUBLIC)
    assert read(network.open(), "http://docs.example.com:8080") == BODY
    assert network.connected == [(PUBLIC, 8080)]
    assert server.asked[-1] == ("docs.example.com:8080", "/")  # type: ignore[attr-defined]


TRICKS = [
    "http://127.0.0.1/",
    "http://127.1/",
    "http://0x7f000001/",
    "http://0x7f.1/",
    "http://2130706433/",
    "http://017700000001/",
    "http://0/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[fe80::1%25eth0]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://metadata.google.internal/computeMetadata/v1/",
    "http://localhost/",
    "http://localhost.localdomain/",
    "http://docs.example.com@127.0.0.1/",
    "http://127.0.0.1@docs.example.com/",
    "http://user:pass@docs.example.com/",
    "http://docs.example.com#@127.0.0.1/",
    "http://127.0.0.1#docs.example.com",
    "http://127.0.0.1\\docs.example.com/",
    "http://docs.example.com\\@127.0.0.1/",
    "http:\\\\docs.example.com/",
    "http://docs.example.com.evil.example/",
    "http://evil.example/docs.example.com",
    "http://evildocs.example.com/",
    "http://docs.example.com./",
    "http://DOCS.EXAMPLE.COM/",
    "http://docs%2eexample.com/",
    "http://docs.example.com%00.evil.example/",
    "http://docs.example.com:22/",
    "http://docs.example.com:443/",
    "http://docs.example.com:080/",
    "http://docs.example.com:99999999/",
    "http://docs.example.com:/",
    "http://docs。example。com/",
    "http://ⓓⓞⓒⓢ.example.com/",
    "http://docs.example.com/\r\nX-Injected: 1",
    "http://docs.example.com/ HTTP/1.1\r\nHost: evil",
    "http://docs.example.com/\t",
    " http://docs.example.com/",
    "http://docs.example.com/\n",
    "//docs.example.com/",
    "/etc/passwd",
    "file:///etc/passwd",
    "file://docs.example.com/etc/passwd",
    "gopher://docs.example.com/_GET",
    "ftp://docs.example.com/a",
    "dict://docs.example.com:11211/",
    "ldap://docs.example.com/",
    "jar:http://docs.example.com!/",
    "data:text/plain,hello",
    "javascript:alert(1)",
    "HTTP://docs.example.com/",
    "http:docs.example.com/",
    "http:///docs.example.com/",
    "https://docs.example.com:80/",
    "http://docs.example.com?@127.0.0.1",
    "",
    "http://",
    "http://docs.example.com/" + "a" * 3000,
    "http://docs.example.com/é",
]


@pytest.mark.parametrize("url", TRICKS)
def test_no_trick_of_an_address_is_even_looked_up(server: ThreadingHTTPServer, url: str) -> None:
    network = Network(server, PUBLIC)
    allowed = "http://docs.example.com?@127.0.0.1"
    if url == allowed:
        # A query is one: it goes to the listed host, and nowhere else.
        assert read(network.open(), url) == BODY
        assert network.connected == [(PUBLIC, 80)]
        return
    with pytest.raises(FetchRefusedError):
        read(network.open(), url)
    assert network.resolved == []
    assert network.connected == []


WITHIN = [
    "127.0.0.1",
    "127.255.255.254",
    "0.0.0.0",  # noqa: S104 - an address that is refused
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.0.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:93.184.215.14",
    "64:ff9b::7f00:1",
    "64:ff9b:1::7f00:1",
    "2002:7f00:1::",
    "2001:0:7f00:1::",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "ff02::1",
    "100::1",
    "2001:db8::1",
    "::ffff:0:a9fe:a9fe",
    "::7f00:1",
    "64:ff9b:1::a9fe:a9fe",
    "fec0::1",
    "docs.example.com",
    "",
]


@pytest.mark.parametrize("address", WITHIN)
def test_a_listed_name_that_leads_within_is_not_connected_to(
    server: ThreadingHTTPServer, address: str
) -> None:
    assert not is_public(address)
    for addresses in ([address], [PUBLIC, address]):
        network = Network(server, *addresses)
        with pytest.raises(FetchRefusedError, match="public"):
            read(network.open(), "http://docs.example.com/")
        assert network.connected == []


@pytest.mark.parametrize("name", ["/moved", "/gone", "/coded", "/short"])
def test_what_is_no_whole_document_is_none(server: ThreadingHTTPServer, name: str) -> None:
    network = Network(server, PUBLIC)
    with pytest.raises(FetchFailedError):
        read(network.open(), f"http://docs.example.com{name}")
    assert len(network.connected) == 1


@pytest.mark.parametrize("name", ["/huge", "/digits", "/endless"])
def test_a_document_over_the_cap_is_not_read_on(server: ThreadingHTTPServer, name: str) -> None:
    with pytest.raises(DocumentTooLargeError):
        read(Network(server, PUBLIC).open(), f"http://docs.example.com{name}")


def test_without_a_list_nothing_is_fetched(server: ThreadingHTTPServer) -> None:
    network = Network(server, PUBLIC)
    with pytest.raises(FetchOffError):
        read(network.open(hosts=()), "http://docs.example.com/")
    assert network.resolved == []


@pytest.mark.parametrize("host", ["127.0.0.1", "0x7f", "DOCS.example", "*", "a b", "a:0", "[::1]"])
def test_a_list_names_hosts(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.setenv("SPANPROOF_FETCH_HOSTS", json.dumps([host]))
    with pytest.raises(SettingsError, match="SPANPROOF_FETCH_HOSTS"):
        Settings()


@pytest.fixture
def guarded(tmp_path: Path, warm_parser: Parser) -> Iterator[Guarded]:
    settings = Settings(
        home=tmp_path / "home", database_url=None, model=None, test_data=None, cross_check_rate=0.0
    )
    with run_guarded(settings, warm_parser) as opened:
        yield opened


def test_what_is_fetched_is_kept_like_what_is_sent(
    guarded: Guarded, server: ThreadingHTTPServer
) -> None:
    def post(wish: Any) -> Any:
        content = json.dumps(wish).encode()
        return guarded.ask("POST", "/v1/fetched-documents", None, content=content)

    wish = {"url": "http://docs.example.com/a.txt", "doc_id": "agreement"}
    check_problem(post(wish), 403, "FETCH_OFF")
    guarded.app.state.fetcher = Network(server, PUBLIC).open()
    made = post(wish)
    assert made.status_code == 201, made.text
    path = made.headers["location"]
    assert guarded.ask("GET", f"{path}/source", None).content == BODY
    assert made.json()["doc_id"] == "agreement"
    check_problem(post({"url": "file:///etc/passwd"}), 422, "FETCH_REFUSED")
    wrongs: list[Any] = [{}, {"url": 5}, {"url": "x", "headers": {}}, []]
    for wrong in wrongs:
        check_problem(post(wrong), 422, "MALFORMED_ANSWER")
