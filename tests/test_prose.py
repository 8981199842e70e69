"""The prose of README, docs/ and the Python reference is plain: short sentences, no riddles.

The rules are few, so that each finding is worth a change. Decisions (docs/adr) stay as they were;
'make docs' looks at the spelling.
"""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING

import pytest

import spanproof
from tests.pages import DOCS, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGES = sorted(
    {ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *DOCS.rglob("*.md")}
    - set((DOCS / "adr").glob("*.md"))
)
#: Half of the words that the pages once had: a new sentence takes the place of another.
MOST_WORDS_OF_ALL = 41_500
#: A reader loses the thread of a longer sentence. Code does not count.
MOST_WORDS = 45
#: What a non-native reader reads twice, and what to write instead.
BANNED = {
    r"\banew\b": "again",
    r"\bbegun\b": "started",
    r"\bbear(?:s|ing)? (?:its|the|their) name": "has the name",
    r"\bhangs? on\b": "depends on",
    r"\b[Ww]ho(?:m)?(?:so)?ever\b": "anybody who",
    r"(?<!there )\b(?:is|are|was|were|be) none\b(?! of)": "is not one, there is no",
    r"\bof which (?:the|one|a)\b": "a second sentence",
    r"\b(?:go|goes|going|gone|went) on (?:with|where)\b": "continue",
    r"\b(?:tells?|told) of\b": "says, shows, lists",
    r"\bfor good\b": "for ever",
    r"\b[Ww]hat finds\b": "the answer that finds",
    r"\b(?:is|are) to be\b": "must be",
    r"\bfor it is\b": "because it is",
    r"\bthere(?:of|in|upon|with)\b": "of it, in it",
    r"\bwhich bears\b": "with",
    r"(?:^|[.;] )(?:By|In|Of|On|For|With) (?:which|whom) the\b": "the noun first",
    r"\b(?:utili[sz]e|leverage)\b": "use",
    r"\b(?:simply|easily|obviously|of course)\b": "nothing: leave it out",
}
_NO_PROSE = re.compile(r"^```.*?^```$|<!--.*?-->", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\([^)]*\)")
_CODE = re.compile(r"`[^`]*`")
_END = re.compile(r"(?<=[.!?])[)\"”*_]*\s+(?=[A-Z\"“`*\[(])")
_WORD = re.compile(r"[^\W\d_][\w'’-]*|\d[\d.,]*")
_TWICE = re.compile(r"\b([A-Za-z]{2,}) \1\b")


def read_lines(page: str) -> Iterator[tuple[int, str]]:
    """The lines of prose with their numbers: no code, no comment, no address of a link."""

    def keep_lines(found: re.Match[str]) -> str:
        return "\n" * found[0].count("\n")

    text = _NO_PROSE.sub(keep_lines, page)
    for number, line in enumerate(text.splitlines(), 1):
        yield number, _CODE.sub("`", _LINK.sub("]", line))


def cut_sentences(line: str) -> list[str]:
    """The sentences of a line. In a table a semicolon ends one too: cells are lists."""
    cells = line.strip("|").split("|") if line.startswith("|") else [line]
    ends = re.compile(f"{_END.pattern}|(?<=;) ") if line.startswith("|") else _END
    return [sentence for cell in cells for sentence in ends.split(cell)]


def find_riddles(page: str) -> list[str]:
    """Each sentence that a reader has to read twice, and why."""
    found = []
    for number, line in read_lines(page):
        for sentence in cut_sentences(line):
            words = len(_WORD.findall(sentence))
            if words > MOST_WORDS:
                found.append(f"{number}: {words} words: {sentence[:60]}…")
        for pattern, instead in BANNED.items():
            if riddle := re.search(pattern, line):
                found.append(f"{number}: {riddle[0]!r}; write: {instead}")
        if twice := _TWICE.search(line):
            found.append(f"{number}: twice: {twice[0]!r}")
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_sentences_are_short_and_plain(page: Path) -> None:
    found = find_riddles(page.read_text(encoding="utf-8"))
    assert not found, "\n".join(found)


def list_docstrings() -> Iterator[tuple[str, str]]:
    """The names of the Python reference and of their public parts, with what is written of them."""
    for name in spanproof.__all__:
        named = getattr(spanproof, name)
        parts = inspect.getmembers(named) if inspect.isclass(named) else []
        public = [(f"{name}.{part}", each) for part, each in parts if not part.startswith("_")]
        for path, each in [(name, named), *public]:
            if inspect.isclass(each) or inspect.isroutine(each) or isinstance(each, property):
                yield path, inspect.getdoc(each) or ""


def test_the_python_reference_is_short_and_plain() -> None:
    docstrings = dict(list_docstrings())
    assert {"verify", "Client.verify", "VerifiedAnswer.answer_id"} <= set(docstrings)
    found = []
    for name, text in docstrings.items():
        # A paragraph is one line of prose, however it is broken.
        paragraphs = (" ".join(each.split()) for each in re.split(r"\n\s*\n", text))
        page = "\n\n".join(paragraphs).replace("``", "`")
        found += [f"{name}: {each}" for each in find_riddles(page)]
        if not text:
            found.append(f"{name}: nothing")
    assert not found, "\n".join(found)


def test_the_pages_say_it_in_half_the_words() -> None:
    read = [ROOT / "README.md", *set(DOCS.rglob("*.md")) - set((DOCS / "adr").glob("*.md"))]
    words = sum(len(page.read_text(encoding="utf-8").split()) for page in read)
    assert words <= MOST_WORDS_OF_ALL, "say something else in fewer words"


def test_the_rules_find_what_they_are_for() -> None:
    riddles = [
        "A file that is saved is begun anew where the answer breaks off.",
        "chunks whose ids hang on document",
        "an index that is none",
        "A header row is none, unless it has an anchor itself",
        "a file, which bears its name once it is whole",
        "What finds it full is dropped.",
        "By which the service keeps it",
    ]
    for riddle in riddles:
        assert any(re.search(pattern, riddle) for pattern in BANNED), riddle
    assert len(cut_sentences("One. Two `x.y` here. Three e.g. four")) == 3
    assert len(cut_sentences("| a; b | c. D |")) == 4
