"""Mutants that no test can tell from the code, each with the reason."""

from __future__ import annotations

#: Mutant's name → why nothing that can be observed differs.
EQUIVALENT: dict[str, str] = {
    "core.tiles:Tile.__post_init__: is_possible = 0 <= (self.level or 0) <= MAX_LEVEL and 1 <="
    " self.width <= TILE_WIDTH => is_possible = 0 <= (self.level or 1) <= MAX_LEVEL and 1 <="
    " self.width <= TILE_WIDTH": "levels 0 and 1 are both within the bounds",
    "core.tiles:Tile.__post_init__: if not is_possible or self.index < 0 or self.start > MAX_SIZE:"
    " => if not is_possible or self.index < 0 or self.start >= MAX_SIZE:": (
        "a tile starts at a multiple of 256, and MAX_SIZE is odd"
    ),
    "core.tiles:TileReader.__call__: pairs = zip(hashes[::2], hashes[1::2], strict=True) =>"
    " pairs = zip(hashes[::2], hashes[1::2], strict=False)": "the count is a power of two",
    "receipt.agreement:_check_verdict: length = 0 if text is None else text.code_points =>"
    " length = 1 if text is None else text.code_points": (
        "without a text the demand above has raised; the line is for the type checker"
    ),
    "receipt.identity:make_id: number = number & ~(15 << 76) | 7 << 76 => number = number &"
    " ~(14 << 76) | 7 << 76": "the bit that is no longer cleared is set right behind",
    "receipt.json_field:Field.fields: if len(self.value) > len(names): =>"
    " if len(self.value) >= len(names):": "as many as are named, and each of them is there",
    "receipt.schema:Mismatch.__init__: super().__init__(expected) => (deleted)": (
        "nobody reads its arguments, and it never leaves the module"
    ),
    "receipt.schema:record: name = '' => name = 'XX'": "the loop names a field before one can fail",
    "receipt.schema:table: found, name = ({}, '') => found, name = ({}, 'XX')": (
        "the loop names a field before one can fail"
    ),
    "receipt.statement:statement_schema: del _type, predicateType => (deleted)": (
        "it says that the two are not used, and nothing uses them"
    ),
}
