from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import ModelUnavailableError, SettingsError
from spanproof.operations.assembly import make_context, open_context, to_limits
from spanproof.operations.settings import Settings
from tests.builders import ScriptedModel
from tests.conftest import make_settings

if TYPE_CHECKING:
    from pathlib import Path


def test_opening_makes_the_home_and_closing_twice_is_harmless(tmp_path: Path) -> None:
    with open_context(make_settings(tmp_path / "home")) as context:
        assert (tmp_path / "home").is_dir()
        context.close()
    context.close()


def test_nothing_is_opened_before_it_is_used(tmp_path: Path) -> None:
    make_context(make_settings(tmp_path / "home")).close()
    assert not (tmp_path / "home").exists()


def test_a_home_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(SettingsError), open_context(Settings(home=tmp_path / "file" / "home")):
        pass


def test_the_settings_are_the_parsers_limits() -> None:
    settings = Settings(max_document_bytes=1, max_pages=2, max_characters=3, parse_seconds=4.5)
    limits = to_limits(settings)
    assert (limits.max_bytes, limits.max_pages) == (1, 2)
    assert (limits.max_characters, limits.seconds) == (3, 4.5)


def test_a_missing_model_judges_nothing_for_verify_and_is_an_error_for_the_rest(
    tmp_path: Path,
) -> None:
    context = make_context(Settings(home=tmp_path / "home", model=tmp_path / "nowhere"))
    assert context.model.identity.name == "NullEntailment"
    assert "nowhere" in context.model.identity.runtime
    with pytest.raises(ModelUnavailableError, match="nowhere"):
        context.require_model()


def test_a_model_that_is_still_being_loaded_keeps_nothing_else_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_loading, may_end = threading.Event(), threading.Event()

    def load(_settings: Settings) -> ScriptedModel:
        is_loading.set()
        assert may_end.wait(timeout=60)
        return ScriptedModel()

    monkeypatch.setattr("spanproof.operations.entailment.loading.load_entailment", load)
    context = make_context(make_settings(tmp_path / "home"))
    _ = context.store
    loading = threading.Thread(target=context.require_model)
    loading.start()
    assert is_loading.wait(timeout=60)
    context.close()
    assert not context.parts.store.is_made
    may_end.set()
    loading.join()
