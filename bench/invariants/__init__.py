"""The invariants of an extraction, each a function that finds what breaks it.

Families: ``structure`` (I1, I2, I10), ``text`` (I3, I5, I9), ``repeat`` (I4, I11), ``frames`` (I6),
``geometry`` (I7, I8), ``metamorphic`` (I12, I13), ``growth`` (I14), ``ink`` (I15),
``cross_check`` (I16). ``document`` runs them on one document, ``caged`` does so in the parser's
cage, and ``python -m bench.corpus`` on a folder.
"""
