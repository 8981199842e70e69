"""Line order: a chunk whose lines the page has, read in the order of another engine.

The chunk is cut into pieces, each of them whole lines of the text (the first and the last may be
parts of lines), equal to the source under the folds, none used twice, and nothing of the chunk left
over. Each step from line to line must be one that a reader takes (``reading_moves``), so lines that
somebody swapped, and a figure taken from another row, are not found. Rows of a table, which no
fold crosses, are found so too.
"""

from spanproof.verifier.quotes.line_order.search import find_line_order

__all__ = ["find_line_order"]
