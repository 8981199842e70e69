"""Post-hoc attribution: sentences of an answer without citations → the source spans that say so.

``registry`` and ``extractors`` turn what tools gave back into sources, ``claims`` cuts the answer,
``candidates`` finds where a claim may stand, ``matching`` asks the entailment model, ``references``
is what comes out.
"""
