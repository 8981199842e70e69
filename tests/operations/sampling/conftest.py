"""Context with a plan, a document and a scripted model; the store and the log are real."""

from __future__ import annotations

import json
import shutil
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.operations.assembly import open_context
from spanproof.operations.sampling.sampler import Sampler
from spanproof.operations.sampling.submission import read_submission
from spanproof.operations.settings import Settings
from tests.builders import ScriptedModel
from tests.databases import HOMES
from tests.store.examples import add_plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from spanproof.operations.context import Context
    from spanproof.store.samples.records import SubmittedAnswer

TEXT = b"Defective goods are replaced within four business days. Payment is due in thirty days."
#: Words that the document has.
GOOD = "Defective goods are replaced within four business days."
#: Words that it has not.
BAD = "The supplier pays for every flight of the buyer to the moon."
#: Plans by which every answer is drawn, and half of them.
ALL = {"default": 1, "review": {"flagged": 1, "others": 1}}
HALF = {"default": 0.5, "review": {"flagged": 0.5, "others": 0.5}}


def make_settings(home: Path, plan: dict[str, Any] | None = None, **more: Any) -> Settings:
    """Settings of a home with a plan."""
    if plan is not None:
        home.parent.mkdir(parents=True, exist_ok=True)
        path = home.parent / f"{home.name}.plan.json"
        path.write_text(json.dumps(plan), encoding="utf-8")
        more["sampling_plan"] = path
    return Settings(
        home=home,
        database_url=HOMES.find(home),
        model=None,
        test_data=None,
        cross_check_rate=0.0,
        **more,
    )


#: The samplers of the contexts that are open here.
_SAMPLERS: dict[int, Sampler] = {}
_OPENING = threading.Lock()


def sampler_of(context: Context) -> Sampler:
    """The context's sampler, as a tenant owns it."""
    # A test may submit from several threads at once.
    with _OPENING:
        if id(context) not in _SAMPLERS:
            _SAMPLERS[id(context)] = Sampler(context)
        return _SAMPLERS[id(context)]


@contextmanager
def closing_sampler(context: Context) -> Iterator[Context]:
    """Closes the context's sampler, if it was used, before the context is."""
    try:
        yield context
    finally:
        sampler = _SAMPLERS.pop(id(context), None)
        if sampler is not None:
            sampler.close()


@contextmanager
def open_sampling(settings: Settings) -> Iterator[Context]:
    """Context as any process would have them, with the document."""
    with (
        open_context(settings, model=ScriptedModel()) as context,
        closing_sampler(context),
    ):
        add_plain(context.store, TEXT, doc_id="agreement")
        yield context


@pytest.fixture
def open_home(tmp_path: Path, migrated_home: Path) -> Callable[..., Any]:
    """Context of one home with a plan, as often as they are asked for."""
    shutil.copytree(migrated_home, tmp_path / "home")

    def open_one(plan: dict[str, Any] | None = None, **more: Any) -> Any:
        return open_sampling(make_settings(tmp_path / "home", plan, **more))

    return open_one


def make_payload(answer_id: str | None, *quotes: str, **more: Any) -> bytes:
    """An answer with a sentence for each quote, which it cites."""
    sentences = [f"{quote.rstrip('.')} [{at}]." for at, quote in enumerate(quotes, start=1)]
    answer = {
        "answer": " ".join(sentences) or "Nothing is cited here.",
        "citations": [
            {"anchor": at, "doc_id": "agreement", "span": {"text": quote}}
            for at, quote in enumerate(quotes, start=1)
        ],
    }
    named = {} if answer_id is None else {"answer_id": answer_id}
    return json.dumps(answer | named | more).encode()


def submit(context: Context, raw: bytes, **more: Any) -> SubmittedAnswer:
    """Submit an answer as the route does, and wait for it."""
    return sampler_of(context).submit(read_submission(raw, **more)).result(timeout=60)


def fill(context: Context, count: int, **more: Any) -> list[SubmittedAnswer]:
    """Submit this many answers whose words the document has."""
    return [submit(context, make_payload(f"a{at}", GOOD), **more) for at in range(count)]
