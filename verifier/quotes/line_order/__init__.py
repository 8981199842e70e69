"""Line order: a chunk whose lines the page has, read in the order of another engine.

The page is put into the few orders that programs read it in (as its lines are drawn, by rows, by
boxes, by blocks, by blocks with the rows of each table), with its running lines and without them. A
chunk is found where its letters and dashes follow each other in one of these, none left out and
none used twice; over a page's end, at the end of one and at the beginning of another of the next
page. What says nothing, bullets and the sign of a blank, may stand elsewhere or be missing. Its
pieces are stretches of the text that are equal to it under the folds. Lines that somebody swapped,
or took from another row, follow each other in no such order. Rows of a table, which no fold
crosses, are found so too. A glyph that the chunk has no character for (``lost_glyph``) may stand
where the page has a symbol or a ligature; a reader's name for one (``(cid:2)``) is the glyph that
it names.
"""

from spanproof.verifier.quotes.line_order.search import find_line_order

__all__ = ["find_line_order"]
