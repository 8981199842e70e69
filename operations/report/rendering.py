"""The report's pages as HTML: no script, nothing from elsewhere, everything escaped."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from spanproof.operations.presentation.words import NOT_PROVED, SIGNS, show_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from spanproof.operations.export.drawing import Crop
    from spanproof.operations.report.material import Failure, Scope


def render_front(scope: Scope, *, title: str, origin: str, counts: Any) -> str:  # noqa: ANN401
    """Scope, totals, exceptions, decisions, limits, and the plan of sampling."""
    page = _load().get_template("front.html")
    return page.render(scope=scope, title=title, origin=origin, counts=counts)


def render_failure(failure: Failure, crops: tuple[Crop, ...]) -> str:
    """The page of one failure."""
    return _load().get_template("failure.html").render(it=failure, crops=crops)


def stream_page(
    title: str, front: str, listed: Iterable[tuple[int, str, str]], sections: Iterable[str]
) -> Iterator[bytes]:
    """The whole page in pieces, however long it is."""
    style = read_style(on_screen=True)
    stream = (
        _load()
        .get_template("page.html")
        .generate(
            title=title,
            front=Markup(front),  # noqa: S704 - made by this module
            listed=listed,
            sections=(Markup(each) for each in sections),  # noqa: S704 - made by this module
            style=Markup(style),  # noqa: S704 - our own file
            style_digest=_digest(style),
        )
    )
    for piece in stream:
        yield piece.encode("utf-8", "xmlcharrefreplace")


def render_check() -> bytes:
    """The page that checks the report in a browser."""
    style = read_style(on_screen=True)
    script = _read("check.js")
    page = _load().get_template("check.html")
    return page.render(
        style=Markup(style),  # noqa: S704 - our own file
        style_digest=_digest(style),
        script=Markup(script),  # noqa: S704 - our own file
        script_digest=_digest(script),
    ).encode()


def read_style(*, on_screen: bool) -> str:
    """The style of the paper, and what a screen needs beside it."""
    return _read("report.css") + (_read("screen.css") if on_screen else "")


def digest_style() -> str:
    """The digest by which a content policy names the page's style."""
    return _digest(read_style(on_screen=True))


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def _read(name: str) -> str:
    folder = resources.files("spanproof.operations.report")
    return folder.joinpath("templates", name).read_text("utf-8")


@cache
def _load() -> Environment:
    environment = Environment(
        loader=PackageLoader("spanproof.operations.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["shown"] = show_text
    environment.filters["moment"] = _show_moment
    environment.globals["signs"] = SIGNS
    environment.globals["not_proved"] = NOT_PROVED
    return environment


def _show_moment(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S UTC")
