"""Does a span support a claim? A local model behind ``core.ports.EntailmentModel``.

``load_model`` imports torch and transformers when it is called, not before.
"""

from verifier.entailment.loading import load_model
from verifier.entailment.null import EntailmentNotRunWarning, NullEntailment

__all__ = ["EntailmentNotRunWarning", "NullEntailment", "load_model"]
