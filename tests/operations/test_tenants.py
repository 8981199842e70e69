from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import ExtractionNotFoundError
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.errors import MalformedTenantError, TenantNotFoundError
from spanproof.operations.settings import Settings
from spanproof.operations.tenants import Tenants, to_tenant_settings
from spanproof.operations.verification.verify import verify_payload
from tests.builders import ScriptedModel
from tests.sources import SENTENCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanproof.ingest.sandbox import Parser
    from spanproof.operations.context import Context
    from tests.conftest import StorePlace

SOURCE = SENTENCE.encode()


@pytest.fixture
def tenants(tmp_path: Path, warm_parser: Parser) -> Iterator[Tenants]:
    yield from _open(Settings(home=tmp_path / "home", open_tenants=2), warm_parser)


def _open(settings: Settings, parser: Parser) -> Iterator[Tenants]:
    opened = Tenants(settings, {"parser": parser, "model": ScriptedModel()})
    yield opened
    opened.close()


def _ingest(context: Context) -> str:
    report = ingest_stream(context, [SOURCE], filename=None, media_type="text/plain", doc_id="a")
    return str(report.doc_hash)


def _is_open(context: Context) -> bool:
    return context.parts.store.is_made


def test_tenants_share_parser_and_model_and_nothing_else(
    fresh_place: StorePlace, warm_parser: Parser
) -> None:
    settings = Settings(home=fresh_place.home, database_url=fresh_place.database_url)
    for opened in _open(settings, warm_parser):
        acme, other = opened.create("acme"), opened.create("acme-2")
        assert acme.parser is opened.default.parser
        assert acme.model.judge([("a", "a")])
        digest = _ingest(acme)
        kept = acme.store.documents.find(digest)
        assert kept is not None
        for stranger in (opened.default, other):
            assert stranger.store.documents.find(digest) is None
            assert stranger.store.documents.find("a") is None
            assert stranger.store.documents.list(limit=10).items == ()
            # The bytes are not believed to be here because they are there.
            assert not stranger.store.blobs.has(kept.document.doc_hash)
        citation = {"anchor": 1, "doc_hash": digest, "span": {"text": SENTENCE}}
        answer = {"answer": "So it is [1].", "citations": [citation]}
        done = verify_payload(acme, json.dumps(answer).encode())
        origins = {each.log.origin for each in (opened.default, acme, other)}
        assert len(origins) == 3
        for stranger in (opened.default, other):
            with pytest.raises(ExtractionNotFoundError):
                stranger.store.documents.load_extraction(kept.current_extraction.extraction_id)
            assert stranger.store.receipts.find(done.verification_id) is None
        keys = [each.settings.home / "keys" for each in (opened.default, acme, other)]
        assert len({tuple(sorted(p.name for p in folder.iterdir())) for folder in keys}) == 3


def test_the_settings_of_a_tenant_name_a_log_and_a_mark_of_its_own(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, log_origin="log.example.com", log_mark=tmp_path / "mark")
    own = to_tenant_settings(settings, "acme")
    assert own.home == tmp_path / "tenants" / "acme"
    assert own.log_origin == "acme.log.example.com"
    assert own.log_mark == tmp_path / "mark-acme"
    assert to_tenant_settings(settings, "default") is settings


def test_a_schema_of_its_own_keeps_the_options_of_the_address(tmp_path: Path) -> None:
    address = "postgresql://u:p%40ss@host/base?options=-cstatement_timeout%3D5000"
    own = to_tenant_settings(Settings(home=tmp_path, database_url=address), "a-b")
    assert own.database_url is not None
    assert "u:p%40ss@host/base" in own.database_url
    assert "-cstatement_timeout" in own.database_url
    assert own.database_url.endswith("spanproof_tenant_a_b")


@pytest.mark.parametrize(
    "name", ["", "A", "a_b", "-a", "a-", "a/b", "..", "a\n", "é", "a" * 41, "a b"]
)
def test_a_name_that_is_none_makes_nothing(tenants: Tenants, name: str) -> None:
    with pytest.raises(MalformedTenantError):
        tenants.create(name)
    with pytest.raises(TenantNotFoundError):
        tenants.find(name)
    assert tenants.names() == ("default",)


def test_an_unknown_tenant_is_not_made_by_asking_for_it(tenants: Tenants) -> None:
    with pytest.raises(TenantNotFoundError), tenants.using("acme"):
        pass
    assert tenants.names() == ("default",)
    tenants.create("acme")
    assert tenants.names() == ("default", "acme")
    assert tenants.find("default") is tenants.default


def test_those_used_longest_ago_are_closed_and_none_in_use(tenants: Tenants) -> None:
    names = [f"t{number}" for number in range(5)]
    for name in names:
        (tenants._folder / name).mkdir(parents=True)
    with tenants.using("t0") as held:
        held.store  # noqa: B018 - opens it
        opened = []
        for name in names[1:]:
            with tenants.using(name) as context:
                context.store  # noqa: B018 - opens it
                opened.append(context)
        assert _is_open(held)
        assert [_is_open(each) for each in opened] == [False, False, True, True]
        # One that was closed opens again, and is the same.
        with tenants.using("t1") as again:
            assert again is opened[0]
            assert again.store.documents.list(limit=1).items == ()
    # What was found has no end of its use.
    kept = tenants.find("t2")
    kept.store  # noqa: B018 - opens it
    for name in names[3:] + names[:2]:
        with tenants.using(name) as context:
            context.store  # noqa: B018 - opens it
    assert _is_open(kept)


def test_many_threads_never_find_their_tenant_closed(tenants: Tenants) -> None:
    for number in range(4):
        (tenants._folder / f"t{number}").mkdir(parents=True)
    failures: list[BaseException] = []

    def use(first: int) -> None:
        try:
            for step in range(12):
                with tenants.using(f"t{(first + step) % 4}") as context:
                    store = context.store
                    assert store.documents.list(limit=1).items == ()
                    assert context.store is store
        except BaseException as error:  # noqa: BLE001 - told below, by the thread that asserts
            failures.append(error)

    threads = [threading.Thread(target=use, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
