"""Which extractor reads which tool's output: patterns of tool names, the first that matches.

Six are shipped. Others come from other packages (entry points of the group
``spanproof.extractors``, each a ``ToolExtractor``), from ``register``, or as further patterns for
the shipped ones (the setting ``SPANPROOF_TOOL_EXTRACTORS``); all of these are asked first.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING

import regex

from spanproof.core.errors import SettingsError
from spanproof.verifier.attribute.extractors import (
    extract_rag,
    extract_web_search,
    extract_wikipedia,
)
from spanproof.verifier.attribute.pages import extract_http, extract_mcp, extract_web_page
from spanproof.verifier.attribute.sources import FoundText, ToolResult, Unextracted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Extract = Callable[[ToolResult], Iterable[FoundText | Unextracted]]

ENTRY_POINT_GROUP = "spanproof.extractors"


#: CPU time for one tool's name; a pattern that backtracks would have no end.
_PATTERN_SECONDS = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolExtractor:
    """A name, the pattern of the tool names that it reads, and its reader of an output.

    ``extract`` gives the texts of one result, and an ``Unextracted`` for each part without one.
    """

    name: str
    pattern: str
    extract: Extract

    def __post_init__(self) -> None:
        try:
            regex.compile(self.pattern)
        except regex.error as error:
            msg = f"Expected a regular expression for {self.name!r}, got {self.pattern!r}: {error}."
            raise SettingsError(msg, hint="Correct the pattern of tool names.") from error

    def reads(self, tool_name: str) -> bool:
        """Whether the tool is one of its own."""
        try:
            return regex.search(self.pattern, tool_name, timeout=_PATTERN_SECONDS) is not None
        except TimeoutError as error:
            msg = f"Expected a pattern that reads a tool's name in time, got {self.pattern!r}."
            raise SettingsError(msg, hint="Bound what the pattern repeats.") from error


SHIPPED = (
    ToolExtractor(name="web_search", pattern=r"^web_search$", extract=extract_web_search),
    ToolExtractor(name="web_scrape", pattern=r"^web_scrape$", extract=extract_web_page),
    ToolExtractor(name="query_rag", pattern=r"^query_rag", extract=extract_rag),
    ToolExtractor(
        name="wikipedia_search", pattern=r"^wikipedia_search$", extract=extract_wikipedia
    ),
    ToolExtractor(name="http_client", pattern=r"^http_client$", extract=extract_http),
    ToolExtractor(name="mcp", pattern=r"^mcp\..+__.+$", extract=extract_mcp),
)


class ExtractorRegistry:
    """Extractors in the order in which they are asked."""

    def __init__(self, extractors: Sequence[ToolExtractor] = SHIPPED) -> None:
        self._extractors = list(extractors)

    def register(self, extractor: ToolExtractor) -> None:
        """Ask this one before all others."""
        self._extractors.insert(0, extractor)

    @property
    def extractors(self) -> tuple[ToolExtractor, ...]:
        """All of them, in order."""
        return tuple(self._extractors)

    def extract(
        self, results: Iterable[ToolResult]
    ) -> tuple[tuple[tuple[ToolResult, FoundText], ...], tuple[Unextracted, ...]]:
        """Every text with the result that it stood in, and the outputs without one."""
        found: list[tuple[ToolResult, FoundText]] = []
        missed: list[Unextracted] = []
        for result in results:
            extractor = next((e for e in self._extractors if e.reads(result.tool_name)), None)
            if extractor is None:
                missed.append(result.unextracted("no_extractor"))
                continue
            before = len(found) + len(missed)
            for each in extractor.extract(result):
                if isinstance(each, Unextracted):
                    missed.append(each)
                else:
                    found.append((result, each))
            if len(found) + len(missed) == before:
                missed.append(result.unextracted("no_results"))
        return tuple(found), tuple(missed)


def load_registry(patterns: Mapping[str, str] | None = None) -> ExtractorRegistry:
    """The shipped extractors, those of other packages, and ``patterns`` → a known one's name.

    Raises SettingsError for a malformed pattern, an unknown extractor, and an entry point that does
    not give a ``ToolExtractor``.
    """
    registry = ExtractorRegistry()
    for point in sorted(metadata.entry_points(group=ENTRY_POINT_GROUP), key=lambda p: p.name):
        registry.register(_load(point))
    known = {extractor.name: extractor for extractor in reversed(registry.extractors)}
    for pattern, name in reversed([*(patterns or {}).items()]):
        if name not in known:
            msg = f"Expected an extractor of {', '.join(sorted(known))}, got {name!r}."
            raise SettingsError(msg, hint="Name one of them for the pattern.")
        registry.register(ToolExtractor(name=name, pattern=pattern, extract=known[name].extract))
    return registry


def _load(point: metadata.EntryPoint) -> ToolExtractor:
    try:
        extractor = point.load()
    except Exception as error:
        msg = f"Expected the extractor {point.value!r} to load, got {error!r}."
        raise SettingsError(msg, hint="Repair or remove the package that provides it.") from error
    if not isinstance(extractor, ToolExtractor):
        msg = f"Expected a ToolExtractor at {point.value!r}, got {type(extractor).__name__}."
        raise SettingsError(msg, hint="Repair or remove the package that provides it.")
    return extractor
