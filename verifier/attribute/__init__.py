"""Post-hoc attribution: sentences of an answer without citations → the source spans that say so.

``registry`` and ``extractors`` turn outputs of tools into sources, ``sentences`` cuts the answer,
``candidates`` finds possible places of a claim, ``matching`` asks the entailment model,
``references`` is the result.
"""
