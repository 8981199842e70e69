"""MuPDF's structured text → columns, read where it is in memory.

The bindings hand over one dictionary a character, which costs more than finding the text did. MuPDF
keeps the same characters in linked lists of plain structures whose layout its public header gives
(``mupdf/fitz/structured-text.h``, shipped with the wheel). Here every list of a batch of pages is
followed at once: each step reads the ``next`` pointers of all lists with one numpy gather. Only
addresses that MuPDF itself wrote are read. The layout is that of one release, so another release,
or a machine that is not 64-bit little-endian, takes ``read_by_bindings``: slower, and equal to the
bit (tests compare them on real files).
"""

from __future__ import annotations

import ctypes
import sys
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.ingest.assembly.stream import CharStream
from spanproof.ingest.engine.mupdf.library import load_pymupdf
from spanproof.ingest.limits import check_limit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.ingest.assembly.stream import Floats, Ints, Mask, Points

#: The release whose structures these offsets are.
KNOWN_RELEASE = "1.28.5"
#: sizeof(fz_stext_char), and the same in 8-byte words.
CHAR_BYTES = 72
_CHAR_WORDS = CHAR_BYTES // 8
# Offsets in bytes of the fields that are read.
_PAGE_FIRST_BLOCK = 32
_BLOCK_FIRST_LINE, _BLOCK_NEXT = 24, 64
_LINE_FIRST_CHAR, _LINE_NEXT = 32, 56
_CHAR_FONT, _CHAR_NEXT = 56, 64
# enum fz_stext_block: 0 is text; char flags of the same header.
_TEXT_BLOCK = 0
SYNTHETIC = 4 | 512
PAINTED = 16 | 32
# Text that a pattern or a picture fills: it is drawn through the glyphs, not with them.
_FILLED_THROUGH = 64

# How much of a vertical glyph's size lies above its level origin.
_ABOVE_ORIGIN = 0.88
_LOWEST = 4096
_ADDRESS_WORDS = 1 << 44
# Under this many lists one pointer at a time is faster than a gather.
_FEW = 24


def reads_memory() -> bool:
    """Whether the fast reader knows this machine's structures."""
    known: bool = load_pymupdf().mupdf_version == KNOWN_RELEASE
    return known and sys.byteorder == "little" and ctypes.sizeof(ctypes.c_void_p) == 8


def read_stream(pages: Sequence[Any], *, most: int) -> CharStream:
    """The characters of structured text pages; raise LimitExceededError above ``most`` of them."""
    if reads_memory():
        return _read_memory(pages, most)
    return read_by_bindings(pages, most=most)


def _place_vertical(stream: CharStream) -> CharStream:
    """Move the boxes of vertical writing to where their glyphs appear, in place.

    MuPDF hangs them below the glyph's level origin (the lower right corner that it gives), a whole
    glyph too low. The default position vector of vertical writing puts that origin 0.88 of the size
    below the top of the glyph (ISO 32000-2, 9.7.4.3).
    """
    found = np.flatnonzero(np.repeat(stream.line_vertical, stream.line_length))
    if not len(found):
        return stream
    quads = stream.quads[:, found]
    origin, far = quads[6:8], quads[4:6]
    length = np.hypot(*(far - origin))
    down = np.where(length > 0, (far - origin) / np.where(length > 0, length, 1), [[0.0], [1.0]])
    aside = quads[0:2] - far
    top = origin - _ABOVE_ORIGIN * stream.sizes[found] * down
    bottom = top + stream.sizes[found] * down
    stream.quads[:, found] = np.concatenate([top + aside, bottom + aside, top, bottom])
    stream.origins[:, found] = origin
    return stream


def widest_count(page: Any) -> int:  # noqa: ANN401 - an untyped binding
    """At most how many characters a page holds, by the size of its pool: known without a walk."""
    mupdf = load_pymupdf().mupdf
    return int(mupdf.ll_fz_pool_size(page.m_internal.pool)) // CHAR_BYTES


@cache
def _memory() -> tuple[np.ndarray[Any, np.dtype[np.int64]], Any]:
    # A view of the whole address space costs nothing: only words at given addresses are touched.
    words = (ctypes.c_int64 * _ADDRESS_WORDS).from_address(_LOWEST)
    return np.ctypeslib.as_array(words), words


def _follow(first: Ints, offset: int) -> tuple[Ints, Ints]:
    """The nodes of the lists that begin at ``first`` (0: empty), list by list; their lengths."""
    memory, words = _memory()
    shift = offset - _LOWEST
    lists = np.flatnonzero(first)
    nodes = first[lists]
    steps: list[tuple[Ints, Ints]] = []
    while len(nodes) >= _FEW:
        steps.append((lists, nodes))
        nodes = memory.take((nodes + shift) >> 3)
        going = nodes != 0
        if not going.all():
            nodes, lists = nodes[going], lists[going]
    tails: list[tuple[int, int, list[int]]] = []
    done = len(steps)
    for which, node in zip(lists.tolist(), nodes.tolist(), strict=True):
        tail = []
        at = node
        while at:
            tail.append(at)
            at = words[(at + shift) >> 3]
        tails.append((which, done, tail))
    lengths = np.zeros(len(first), np.int64)
    for which_lists, _ in steps:
        # A list takes part in as many steps as it has nodes.
        lengths[which_lists] += 1
    for which, _, tail in tails:
        lengths[which] += len(tail)
    starts = np.cumsum(lengths) - lengths
    found = np.empty(int(lengths.sum()), np.int64)
    for step, (which_lists, step_nodes) in enumerate(steps):
        found[starts[which_lists] + step] = step_nodes
    for which, done, tail in tails:
        begin = int(starts[which]) + done
        found[begin : begin + len(tail)] = tail
    return found, lengths


def _read_memory(pages: Sequence[Any], most: int) -> CharStream:
    memory, _ = _memory()

    def word(nodes: Ints, offset: int) -> Ints:
        found: Ints = memory.take((nodes + (offset - _LOWEST)) >> 3)
        return found

    page_nodes = np.array([int(page.m_internal.this) for page in pages], np.int64)
    blocks, page_blocks = _follow(word(page_nodes, _PAGE_FIRST_BLOCK), _BLOCK_NEXT)
    is_text = (word(blocks, 0) & 0xFFFFFFFF) == _TEXT_BLOCK
    lines, block_lines = _follow(word(blocks, _BLOCK_FIRST_LINE) * is_text, _LINE_NEXT)
    page_ends = np.concatenate([[0], np.cumsum(block_lines)])[np.cumsum(page_blocks)]
    page_lines = np.diff(page_ends, prepend=0)
    chars, line_length = _follow(word(lines, _LINE_FIRST_CHAR), _CHAR_NEXT)
    check_limit(len(chars), most, "characters")
    words = memory.take(((chars - _LOWEST) >> 3)[:, None] + np.arange(_CHAR_WORDS))
    rows, floats = words.view(np.uint32), words.view(np.float32)
    bits = rows[:, 1] >> 16
    unpainted = (bits & PAINTED) == 0
    if unpainted.any():
        line_of_char = np.repeat(np.arange(len(lines)), line_length)
        page_of_line = np.repeat(np.arange(len(pages)), page_lines)
        fonts = words[:, _CHAR_FONT // 8]
        for font in np.unique(fonts[unpainted]):
            line = line_of_char[np.flatnonzero(fonts == font)[0]]
            if _draws_glyphs(pages[page_of_line[line]], int(lines[line]), int(font)):
                unpainted &= fonts != font
    # wmode is the low byte of a line's first word; the direction begins in that word's upper half.
    head = np.stack([word(lines, 0), word(lines, 8)], axis=1)
    return _place_vertical(
        CharStream(
            page_lines=page_lines,
            line_length=line_length,
            line_direction=head.view(np.float32).reshape(-1, 4)[:, 1:3],
            line_vertical=(head[:, 0] & 0xFF) != 0,
            points=np.ascontiguousarray(rows[:, 0]),
            synthetic=(bits & SYNTHETIC) != 0,
            invisible=unpainted,
            drawn=_is_drawn(bits, unpainted),
            quads=np.ascontiguousarray(floats[:, 5:13].T),
            origins=np.ascontiguousarray(floats[:, 3:5].T),
            sizes=np.ascontiguousarray(floats[:, 13]),
        )
    )


def _is_drawn(bits: Points | Ints, unpainted: Mask) -> Mask:
    drawn: Mask = ((bits & PAINTED) == 0) | ((bits & _FILLED_THROUGH) != 0)
    return drawn & ~unpainted


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """All blocks of one text page in the order drawn, and the words of its characters.

    ``block_boxes`` are rows of x0, y0, x1, y1; ``block_colours`` are those of vectors.
    """

    block_types: Ints
    block_boxes: Floats
    block_colours: Ints
    block_of_char: Ints
    rows: Points
    floats: Floats


def read_drawings(pages: Sequence[Any]) -> list[Drawing]:
    """The blocks and characters of each page where ``reads_memory``."""
    if not pages:
        return []
    memory, _ = _memory()
    firsts = np.array([int(page.m_internal.this) for page in pages], np.int64)
    firsts = memory.take((firsts + (_PAGE_FIRST_BLOCK - _LOWEST)) >> 3)
    blocks, page_blocks = _follow(firsts, _BLOCK_NEXT)
    # Type and id, the box, and the first word of what the type says.
    heads = memory.take(((blocks - _LOWEST) >> 3)[:, None] + np.arange(4))
    types = heads[:, 0] & 0xFFFFFFFF
    boxes = heads[:, 1:3].copy().view(np.float32).reshape(-1, 4)
    lines, block_lines = _follow(heads[:, 3] * (types == _TEXT_BLOCK), _LINE_NEXT)
    firsts = memory.take((lines + (_LINE_FIRST_CHAR - _LOWEST)) >> 3)
    chars, line_length = _follow(firsts, _CHAR_NEXT)
    words = memory.take(((chars - _LOWEST) >> 3)[:, None] + np.arange(_CHAR_WORDS))
    block_of_char = np.repeat(np.repeat(np.arange(len(blocks)), block_lines), line_length)
    block_ends = np.concatenate([[0], np.cumsum(page_blocks)])
    char_ends = np.searchsorted(block_of_char, block_ends).tolist()
    found = []
    for index, (start, end) in enumerate(pairwise(block_ends.tolist())):
        block, char = slice(start, end), slice(char_ends[index], char_ends[index + 1])
        found.append(
            Drawing(
                block_types=types[block],
                block_boxes=boxes[block],
                block_colours=(heads[block, 3] >> 32) & 0xFFFFFFFF,
                block_of_char=block_of_char[char] - start,
                rows=words[char].view(np.uint32),
                floats=words[char].view(np.float32),
            )
        )
    return found


def _draws_glyphs(page: Any, line: int, font: int) -> bool:  # noqa: ANN401 - an untyped binding
    """Whether the font at that address, met in the line at that address, is a Type 3 font."""
    for block in page:
        if block.m_internal.type != _TEXT_BLOCK:
            continue
        for one in block:
            if int(one.m_internal.this) == line:
                found = (char.m_internal.font for char in one)
                return any(int(f.this) == font and _is_type3(f) for f in found)
    return False


def _is_type3(font: Any) -> bool:  # noqa: ANN401 - an untyped binding
    # MuPDF paints the glyphs of a Type 3 font as pictures and reports its text as not painted; the
    # render mode does not apply to such fonts (ISO 32000-2, 9.3.6).
    return load_pymupdf().mupdf.ll_fz_font_t3_procs(font) is not None


def read_by_bindings(pages: Sequence[Any], *, most: int) -> CharStream:
    """The same columns by the bindings, field by field: any release's way, the tests' oracle."""
    page_lines: list[int] = []
    line_length: list[int] = []
    heads: list[tuple[float, float, bool]] = []
    chars: list[tuple[int, int, bool]] = []
    places: list[tuple[float, ...]] = []
    for page in pages:
        lines = [line for block in page if block.m_internal.type == _TEXT_BLOCK for line in block]
        page_lines.append(len(lines))
        for line in lines:
            inner = line.m_internal
            heads.append((inner.dir.x, inner.dir.y, bool(inner.wmode)))
            line_length.append(0)
            for char in line:
                line_length[-1] += 1
                one = char.m_internal
                bare = not one.flags & PAINTED and not _is_type3(one.font)
                chars.append((one.c & 0xFFFFFFFF, one.flags, bare))
                corners = (one.quad.ul, one.quad.ur, one.quad.ll, one.quad.lr, one.origin)
                places.append((*(v for p in corners for v in (p.x, p.y)), one.size))
            check_limit(len(chars), most, "characters")
    column: Points = np.array([point for point, *_ in chars], np.uint32)
    bits = np.array([flags for _, flags, _ in chars], np.uint32)
    numbers: Floats = np.array(places, np.float32).reshape(-1, 11).T
    vertical: Mask = np.array([wmode for *_, wmode in heads], bool)
    return _place_vertical(
        CharStream(
            page_lines=np.array(page_lines, np.int64),
            line_length=np.array(line_length, np.int64),
            line_direction=np.array([h[:2] for h in heads], np.float32).reshape(-1, 2),
            line_vertical=vertical,
            points=column,
            synthetic=(bits & SYNTHETIC) != 0,
            invisible=np.array([bare for *_, bare in chars], bool),
            drawn=_is_drawn(bits, np.array([bare for *_, bare in chars], bool)),
            quads=np.ascontiguousarray(numbers[:8]),
            origins=np.ascontiguousarray(numbers[8:10]),
            sizes=np.ascontiguousarray(numbers[10]),
        )
    )
