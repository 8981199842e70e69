"""The prompt of an answer whose citations can be verified: instructions and reference list.

Both are written in the grammar in which the answer will be read, and nothing here calls a model.
The text of the instructions has a version and a SHA-256: ``generator.prompt_sha256`` of an answer
names it. ``render`` writes references in a grammar, the inverse of ``tokenize``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.budget import checkpoint
from spanproof.core.digest import Digest
from spanproof.core.errors import InputError
from spanproof.verifier.fields.prompting import write_field_list
from spanproof.verifier.formats.grammars.table import find_grammars
from spanproof.verifier.formats.grammars.token import SOURCES
from spanproof.verifier.formats.grammars.tokenizer import SOURCES_END, SOURCES_START, tokenize
from spanproof.verifier.formats.markers.prose import has_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanproof.core.citation import Retrieval
    from spanproof.core.verdicts.policy import Policy
    from spanproof.verifier.fields.context import Context
    from spanproof.verifier.fields.registry import FieldRegistry
    from spanproof.verifier.formats.grammars.token import Reference, Token

#: Raised with every change of a word in what ``instructions`` gives.
VERSION = "prompt-1"
#: Grammars in which a model can be asked to cite.
ASKABLE = ("numbered", "chunk", "ref", "field")
_NAMED = {
    "numbered": ("[n], n being the source's number", "[1]"),
    "chunk": ("[citation:docId:chunkId]", "[citation:handbook:p4-2]"),
    "ref": ("[[REF:id]]", "[[REF:s1]]"),
    "field": ("[[PREFIX:field]]", "[[TOOL:temperature]]"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """Instructions for one grammar; ``sha256`` is over their UTF-8 bytes."""

    text: str
    grammar: str
    version: str = VERSION

    @property
    def sha256(self) -> Digest:
        """The digest that an answer's ``generator.prompt_sha256`` gives."""
        return Digest.of(self.text.encode())


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A source of the reference list: ``values`` are those of its token, ``text`` its words."""

    values: Reference
    text: str
    title: str | None = None
    url: str | None = None


def instructions(
    grammar: str, policy: Policy, registry: Mapping[str, Sequence[str]] | None = None
) -> Prompt:
    """The instructions to cite in a grammar; raise InputError for one that no model is asked for.

    ``policy`` gives the least count of citations. For the grammar ``field``, ``registry`` may name
    the fields of each prefix; without it those of ``list_fields`` may be cited.
    """
    if grammar not in _NAMED:
        msg = f"Expected a grammar of {', '.join(ASKABLE)} for a prompt, got {grammar!r}."
        raise InputError(msg, hint="Choose one of them; the others can only be read.")
    form, example = _NAMED[grammar]
    count = policy.green_count
    rules = [
        "Use only the sources given below. Do not use other knowledge.",
        f"Cite with {form}.",
        f"For example: Replacement takes four days {example}.",
        "Put the citation right after the clause that it supports, before the full stop.",
        "Copy each id exactly as it is listed, percent signs included.",
        "Never invent an id, a title or a URL, and never write a placeholder.",
        "One citation for each source; write no ranges and no lists of another form.",
        "Do not put citations into code.",
        f"Give at least {count} citation{'s' if count > 1 else ''} where the sources allow it.",
        "Where no source supports the answer, say so in one sentence and cite nothing.",
        "An answer that makes claims without citations is rejected.",
    ]
    if grammar == "ref":
        rules.append(
            f"End with one block and nothing after it: {SOURCES_START}, then a JSON array with an "
            'object {"id", "title", "url"} for each source that you cited, as listed, then '
            f"{SOURCES_END}."
        )
    if grammar == "field" and registry is not None:
        rules.append("Cite only these fields, by prefix and name:")
        rules += [f"{prefix}: {', '.join(names)}" for prefix, names in sorted(registry.items())]
    elif grammar == "field":
        rules.append("Cite only the fields listed below, each by the marker at the line's start.")
        rules.append("A field whose line begins with - cannot be cited.")
    numbered = "\n".join(f"- {rule}" for rule in rules)
    return Prompt(text=f"Rules for citations ({VERSION}):\n{numbered}\n", grammar=grammar)


def list_sources(grammar: str, sources: Iterable[Source]) -> str:
    """The reference list for the prompt: each source under the token that cites it.

    Ids that the grammar cannot carry are percent-encoded. Raises InputError for values that no
    token can hold.
    """
    (found,) = find_grammars((grammar,))
    entries = []
    for source in sources:
        checkpoint()
        token = render_reference(source.values, found.name)
        head = " | ".join(part for part in (token, source.title, source.url) if part)
        # A source that holds tokens of its own must not be taken for the list.
        body = json.dumps(source.text, ensure_ascii=False)
        entries.append(f"{' '.join(head.split())}\n{body}\n")
    return "Sources:\n\n" + "\n".join(entries)


def list_fields(visible: Context, registry: FieldRegistry) -> str:
    """The reference list of the grammar ``field``; give it what ``visible_context`` gave.

    A field that was hidden or has no value is not listed.
    """
    return "Fields:\n\n" + write_field_list(visible, registry)


def sources_of(grammar: str, retrieved: Sequence[Retrieval]) -> tuple[Source, ...]:
    """Retrieved chunks as sources in a grammar; raise InputError for one that cannot be cited."""
    found = []
    for position, chunk in enumerate(retrieved, start=1):
        document = chunk.doc_id or str(chunk.doc_hash)
        values: Reference = {
            "numbered": (str(position),),
            "chunk": (document, chunk.chunk_id),
            "ref": (chunk.chunk_id,),
        }.get(grammar, ())
        if not values or not has_document(chunk) or chunk.text is None:
            msg = (
                f"Expected chunks with a document, a text and a grammar of numbered, chunk or ref, "
                f"got chunk {chunk.chunk_id!r} for {grammar!r}."
            )
            raise InputError(msg, hint="Give each retrieved chunk doc_id or doc_hash, and text.")
        found.append(Source(values=values, text=chunk.text))
    return tuple(found)


def render_reference(values: Reference, grammar: str) -> str:
    """The token of one reference; raise InputError if no token of the grammar can hold it."""
    (found,) = find_grammars((grammar,))
    text = found.write((values,)) if len(values) == found.width else ""
    match = found.pattern.fullmatch(text)
    if match is None or found.read(match) != (values,):
        msg = f"Expected {found.width} values that {grammar!r} can hold, got {values!r}."
        raise InputError(msg, hint="Ids are not empty and have at most 256 characters, encoded.")
    return text


def render(prose: str, tokens: Sequence[Token], grammar: str | None = None) -> str:
    """The prose with each token written anew, in ``grammar`` or in its own.

    ``tokenize(render(prose, tokenize(prose)))`` has the same values. References that share a
    bracket share one again where the grammar joins them.
    """
    parts: list[str] = []
    position = 0
    groups: dict[tuple[int, int], list[Token]] = {}
    for token in tokens:
        groups.setdefault((token.span.start, token.span.end), []).append(token)
    for (start, end), group in groups.items():
        parts.append(prose[position:start])
        position = end
        if group[0].grammar == SOURCES:
            parts.append(prose[start:end])
            continue
        name = grammar or group[0].grammar
        (found,) = find_grammars((name,))
        if found.joins:
            parts.append(found.write([token.values for token in group]))
        else:
            parts += [render_reference(token.values, name) for token in group]
    return "".join([*parts, prose[position:]])


def parse(prose: str, grammar: str) -> tuple[Reference, ...]:
    """The references of one grammar in the order of the prose."""
    return tuple(token.values for token in tokenize(prose, (grammar,)) if token.grammar == grammar)
