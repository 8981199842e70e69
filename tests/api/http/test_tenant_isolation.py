"""No route shows, counts, changes or confirms anything of another tenant: over all of them."""

from __future__ import annotations

import json
import re
import uuid
from typing import TYPE_CHECKING, Any, get_args

import pytest

from spanproof.core.digest import Digest
from spanproof.operations.access.principal import Scope
from spanproof.operations.settings import Settings
from tests.api.access import Guarded, run_guarded
from tests.databases import HOMES
from tests.pages import read_page

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.api.http.openapi import ListedRoute
    from spanproof.ingest.sandbox import Parser

#: Stands in everything that tenant A keeps, and in none of its ids.
MARK = "zebrafish quartz"
TEXT = f"Defective {MARK} goods are replaced within four business days."
#: Whoever has no key may ask for these.
PUBLIC = {
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/version"),
    ("GET", "/login"),
    ("POST", "/login"),
    ("POST", "/logout"),
    ("GET", "/static/console/{name}"),
    ("GET", "/docs"),
    ("GET", "/docs/{name}"),
}
#: What a required query parameter is given.
QUERY = {"start": 0, "end": 9, "quote": MARK, "key_id": "sp_aaaaaaaaaaaa"}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory, warm_parser: Parser) -> Iterator[Guarded]:
    home = tmp_path_factory.mktemp("guarded") / "home"
    settings = Settings(
        home=home,
        database_url=HOMES.find(home),
        model=None,
        test_data=None,
        cross_check_rate=0.0,
        rate_limit=0,
    )
    with run_guarded(settings, warm_parser) as opened:
        yield opened


@pytest.fixture(scope="module")
def a_key(guarded: Guarded) -> str:
    return str(guarded.make_key("alpha", label=MARK).text)


@pytest.fixture(scope="module")
def b_key(guarded: Guarded) -> str:
    return str(guarded.make_key("beta").text)


@pytest.fixture(scope="module")
def kept(guarded: Guarded, a_key: str, b_key: str) -> dict[str, list[str]]:
    """The ids of what tenant A keeps, by the path parameter that takes them."""
    del b_key
    query = {"doc_id": "alpha-agreement", "title": MARK}
    put = guarded.ask("PUT", "/v1/documents", a_key, params=query, content=TEXT.encode())
    assert put.status_code == 201, put.text
    row = put.json()
    answer = make_answer(row["doc_hash"])
    made = guarded.ask("POST", "/v1/verifications", a_key, content=answer)
    assert made.status_code == 200, made.text
    ids = {
        "ref": [row["doc_hash"], row["doc_id"], row["extraction_id"]],
        "verification_id": [made.json()["verification_id"]],
        "doc_hash": [row["doc_hash"]],
        "extraction_id": [row["extraction_id"]],
        "key_id": [a_key.partition(".")[0]],
        "start": ["0"],
        "end": ["9"],
        "page": ["1"],
        # Each tenant has a log of its own, so the same tile is another one.
        "path": ["entries/000.p/1", "0/000.p/2"],
    }
    for name, values in ids.items():
        if name in {"ref", "verification_id", "key_id"}:
            assert all(MARK not in value for value in values)
    return ids


def make_answer(doc_hash: str) -> bytes:
    citation = {"anchor": 1, "doc_hash": doc_hash, "span": {"text": TEXT}}
    return json.dumps({"answer": f"{TEXT[:-1]} [1].", "citations": [citation]}).encode()


def replace_ids(value: str, stranger: dict[str, str]) -> str:
    return re.sub(
        r"sha256:[0-9a-f]{64}|[0-9a-f]{8}-[0-9a-f-]{27}|sp_[a-z2-7]{12}|alpha-agreement",
        lambda found: stranger.setdefault(found[0], _make_stranger(found[0])),
        value,
    )


def _make_stranger(name: str) -> str:
    """An id of the same form, of nothing."""
    if name.startswith("sha256:"):
        return str(Digest.of(name.encode()))
    if name.startswith("sp_"):
        return "sp_" + "".join("b" if letter == "a" else "a" for letter in name[3:])
    return str(uuid.uuid5(uuid.NAMESPACE_URL, name)) if name.count("-") == 4 else "betas-agreement"


def expand(path: str, ids: dict[str, list[str]]) -> list[str]:
    """The path with every choice of A's ids."""
    found = re.search(r"\{(\w+)(?::\w+)?\}", path)
    if found is None:
        return [path]
    every = [each for values in ids.values() for each in values]
    choices = ids.get(found[1], every)
    return [
        whole
        for choice in choices
        for whole in expand(path[: found.start()] + choice + path[found.end() :], ids)
    ]


def test_every_route_asks_for_a_scope_but_those_that_tell_nothing(guarded: Guarded) -> None:
    routes = guarded.list_routes()
    without = {
        (method, route.path) for route in routes if not route.scopes for method in route.methods
    }
    assert without == PUBLIC
    assert len(routes) > 30


def test_nobody_without_a_key_is_let_in_anywhere(guarded: Guarded, b_key: str) -> None:
    del b_key
    for route in guarded.list_routes():
        for method in route.methods:
            if (method, route.path) in PUBLIC:
                continue
            path = re.sub(r"\{\w+(?::\w+)?\}", "x", route.path)
            # Also what is wrong otherwise: who may not ask is told only that.
            for query in ({}, {"nosuch": "1"}):
                answer = guarded.ask(method, path, None, params=query)
                assert answer.status_code == 401, (method, path, answer.text)
                assert answer.headers["www-authenticate"] == 'Bearer realm="spanproof"'
                assert answer.json()["code"] == "UNAUTHENTICATED"


def test_no_route_gives_a_tenant_anything_of_another(
    guarded: Guarded, kept: dict[str, list[str]], b_key: str
) -> None:
    asked = 0
    for route in guarded.list_routes():
        if not route.scopes:
            continue
        for method in sorted(route.methods):
            for path in expand(route.path, kept):
                asked += 1
                check(guarded, route, method, path, b_key)
    assert asked > 60


def check(guarded: Guarded, route: ListedRoute, method: str, path: str, key: str) -> None:
    """B's answer holds nothing of A's; for A's ids it is that of ids of nothing."""
    query = {name: value for name, value in QUERY.items() if name in route.query}
    body = None if method in {"GET", "DELETE"} else b'{"scopes": ["read"]}'
    answer = guarded.ask(method, path, key, params=query, content=body)
    where = (method, path, answer.status_code, answer.text[:300])
    assert answer.status_code < 500, where
    assert MARK.encode() not in answer.content.replace(f"quote={MARK}".encode(), b""), where
    stranger: dict[str, str] = {}
    elsewhere = replace_ids(path, stranger)
    if elsewhere == path:
        return
    assert answer.status_code in {404, 422, 303} or method == "POST", where
    twin = guarded.ask(method, elsewhere, key, params=query, content=body)
    assert twin.status_code == answer.status_code, where
    if answer.headers.get("content-type", "").startswith("application/problem+json"):
        assert strip(answer.text, stranger) == strip(twin.text, {}), where
        assert set(answer.headers) == set(twin.headers)


def strip(text: str, stranger: dict[str, str]) -> dict[str, Any]:
    for own, other in stranger.items():
        text = text.replace(own, other)
    problem: dict[str, Any] = json.loads(text)
    return problem | {"request_id": ""}


def test_lists_counts_and_filters_of_one_know_nothing_of_the_other(
    guarded: Guarded, kept: dict[str, list[str]], a_key: str, b_key: str
) -> None:
    pages = {
        "/v1/documents": {},
        "/v1/verifications": {"doc_hash": kept["doc_hash"][0]},
        "/v1/keys": {},
        "/metrics": {},
        "/": {},
        "/log": {},
    }
    for path, query in pages.items():
        theirs = guarded.ask("GET", path, a_key, params=query)
        ours = guarded.ask("GET", path, b_key, params=query)
        assert theirs.status_code == ours.status_code == 200
        assert ours.content != theirs.content
        for name in ("ref", "verification_id", "key_id"):
            assert not any(each in ours.text for each in kept[name]), (path, name)
    cursor = guarded.ask("GET", "/v1/verifications", a_key, params={"limit": 1}).json()
    given = {"cursor": cursor["next_cursor"]} if cursor["next_cursor"] else {}
    assert (
        guarded.ask("GET", "/v1/verifications", b_key, params=given).json()["verifications"] == []
    )


def test_a_document_of_another_verifies_like_one_that_nobody_has(
    guarded: Guarded, kept: dict[str, list[str]]
) -> None:
    # One of its own: what it asks for here is kept with its own words.
    c_key = str(guarded.make_key("gamma").text)

    def verify(doc_hash: str) -> dict[str, Any]:
        content = make_answer(doc_hash)
        answer = guarded.ask("POST", "/v1/verifications", c_key, content=content)
        assert answer.status_code == 200, answer.text
        block: dict[str, Any] = answer.json()["verification"]
        assert block["verdicts"][0]["identity"]["status"] == "UNKNOWN_DOCUMENT"
        text = json.dumps({k: v for k, v in block.items() if "digest" not in k})
        return json.loads(text.replace(doc_hash, "")) | {"verified_at": ""}  # type: ignore[no-any-return]

    theirs, nobodys = verify(kept["doc_hash"][0]), verify(str(Digest.of(b"nobody has this")))
    assert theirs == nobodys
    # The same bytes are new to whoever takes them in, and tell nothing.
    put = guarded.ask("PUT", "/v1/documents", c_key, content=TEXT.encode())
    assert put.status_code == 201


def name_scopes(scopes: Sequence[str]) -> str:
    """The scopes as the table has them: ``any`` for all of them."""
    return "any" if set(scopes) == set(get_args(Scope)) else ", ".join(scopes)


def test_the_scopes_of_every_route_stand_in_the_documentation(guarded: Guarded) -> None:
    page = read_page("http.md")
    rows = set(
        re.findall(r"^\| `([A-Z]+ /(?:v1|metrics)\S*)` \| ([a-z, ]+) \|", page, re.MULTILINE)
    )
    wanted = {
        (f"{method} {route.path_format}", name_scopes(route.scopes))
        for route in guarded.list_routes()
        for method in route.methods
        if route.path_format.startswith(("/v1", "/metrics"))
    }
    assert rows == wanted
