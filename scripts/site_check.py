"""Refuse a built site that loads a file of another server, or whose search lacks its index.

MkDocs calls it at the end of 'make docs'.
"""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Attributes whose address a browser fetches by itself; of a link only ``a`` waits for a click.
_LOADED = ("src", "srcset", "poster", "data", "href")
_CSS = re.compile(r"""(?:@import\s*(?:url\()?|url\()\s*["']?([^"')\s;]+)""")
#: The theme reads it from a page on the disk, where it may fetch no JSON.
INDEX = "search/search_index.js"
_INDEX_BEGINS = "var __index = "


def on_post_build(config: dict[str, Any]) -> None:
    """End the build with every fault that was found."""
    site = Path(config["site_dir"])
    faults = [*find_addresses(site), *find_search_faults(site)]
    if faults:
        raise SystemExit("\n".join(faults))


#: After the plugin that writes the index; MkDocs' own decorator, without a need of MkDocs here.
on_post_build.mkdocs_priority = -200  # type: ignore[attr-defined]


def find_addresses(site: Path) -> Iterator[str]:
    """Each address that a page or style sheet loads and that is no file of the site."""
    for path in sorted([*site.rglob("*.html"), *site.rglob("*.css")]):
        content = path.read_text(encoding="utf-8")
        found = _CSS.findall(content)
        if path.suffix == ".html":
            reader = _Loaded()
            reader.feed(content)
            found += reader.addresses
        for address in found:
            if not _is_local(address, path, site):
                yield f"{path.relative_to(site)}: expected a file of the site, got {address!r}."


def find_search_faults(site: Path) -> Iterator[str]:
    """What keeps a browser from searching the site when it is opened from the disk."""
    index = site / INDEX
    if not index.is_file():
        yield f"Expected {INDEX}, got none."
        return
    text = index.read_text(encoding="utf-8").strip().removesuffix(";")
    if not text.startswith(_INDEX_BEGINS):
        yield f"{INDEX}: expected a script that sets __index, got {text[:20]!r}."
        return
    listed = {
        each["location"].partition("#")[0]
        for each in json.loads(text.removeprefix(_INDEX_BEGINS))["docs"]
    }
    if not listed:
        yield f"{INDEX}: expected pages, got none."
    for location in sorted(listed):
        if not (site / location).is_file():
            yield f"{INDEX}: expected a page, got {location!r}."


class _Loaded(HTMLParser):
    """Gather the addresses that a page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            return
        for name, value in attrs:
            if name in _LOADED and value:
                parts = value.split(",") if name == "srcset" else [value]
                self.addresses += [part.split()[0] for part in parts if part.strip()]


def _is_local(address: str, page: Path, site: Path) -> bool:
    parts = urlsplit(address)
    if parts.scheme == "data":
        return True
    if parts.scheme or parts.netloc:
        return False
    if not parts.path:
        return True
    start = site if parts.path.startswith("/") else page.parent
    found = (start / unquote(parts.path).lstrip("/")).resolve()
    return found.is_relative_to(site.resolve()) and found.exists()
