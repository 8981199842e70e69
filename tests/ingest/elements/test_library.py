"""unstructured is loaded by one door, which keeps it offline."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from spanproof.core.errors import EngineUnavailableError
from spanproof.ingest import extract
from spanproof.ingest.elements.library import load_unstructured, unstructured_version
from spanproof.ingest.elements.partition import partition
from spanproof.ingest.media_type import HTML

#: Run in a fresh process: every way out raises, then one document of each cheap kind is read.
OFFLINE = """
import socket
def refuse(*args, **kwargs):
    raise SystemExit("the network was asked for")
socket.getaddrinfo = socket.create_connection = refuse
socket.socket.connect = socket.socket.connect_ex = refuse
from spanproof.ingest import extract
page = b"<html><body><h1>Terms</h1><p>The supplier shall deliver within ten days.</p></body></html>"
mail = b"From: a@example.org\\nMIME-Version: 1.0\\nSubject: s\\n\\nThe supplier shall deliver.\\n"
table, tree = b"a,b\\n1,2\\n", b"<a>b</a>"
for name, data in (("a.html", page), ("a.eml", mail), ("a.csv", table), ("a.xml", tree)):
    assert extract(data, filename=name).pages[0].status == "ok", name
import threading
assert threading.active_count() == 1, threading.enumerate()
"""


def test_the_release_is_the_pinned_one() -> None:
    assert unstructured_version() == "0.27.32"


@pytest.mark.long
def test_the_private_name_that_is_patched_is_still_there() -> None:
    code = (
        "from unstructured.nlp import tokenize; import inspect;"
        "assert callable(tokenize._get_nlp);"
        "assert '_get_nlp()' in inspect.getsource(tokenize._run_pipeline)"
    )
    environment = {**os.environ, "DO_NOT_TRACK": "1"}
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, env=environment)


def test_a_release_without_that_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    load_unstructured()
    from unstructured.nlp import tokenize

    monkeypatch.delattr(tokenize, "_get_nlp")
    load_unstructured.cache_clear()
    try:
        with pytest.raises(EngineUnavailableError, match="_get_nlp") as caught:
            load_unstructured()
    finally:
        load_unstructured.cache_clear()
    assert caught.value.hint == "Install unstructured==0.27.32."


@pytest.mark.long
def test_nothing_is_asked_of_the_network_from_a_fresh_process() -> None:
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in {"DO_NOT_TRACK", "SCARF_NO_ANALYTICS"}
    }
    subprocess.run([sys.executable, "-W", "ignore", "-c", OFFLINE], check=True, env=environment)


def test_a_page_that_names_pictures_and_styles_elsewhere_fetches_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        pytest.fail("the network was asked for")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    page = (
        b'<html><head><link rel="stylesheet" href="http://example.invalid/a.css"></head>'
        b'<body><img src="http://example.invalid/a.png"><p>Here.</p></body></html>'
    )
    assert extract(page, filename="a.html").text.text == "Here.\f"


def test_a_page_without_elements_is_a_failure_and_no_empty_reading() -> None:
    reading = partition(HTML, b"<html><body><img src='a.png' alt='a cat'></body></html>")
    assert reading.find_problem("a text") is not None
    assert partition(HTML, b"").find_problem("a text") is not None


def test_words_that_only_unstructured_reads_make_a_page_degraded() -> None:
    page = b"<html><body><p>All of these words are on the page that was read.</p></body></html>"
    reading = partition(HTML, page)
    assert reading.find_problem("All of these words are on the page that was read.") is None
    problem = reading.find_problem("All of these words.")
    assert problem is not None
    assert "words that are not in the text" in problem
    assert reading.find_problem("All of these words", unseen="are on the page that was read") == (
        "29 hidden characters are left out."
    )
