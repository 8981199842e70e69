"""Does a span support a claim? A local model behind ``spanproof.core.ports.EntailmentModel``.

torch and transformers are imported to export a model's graph at its first use, and by the runtime
that is made of them; never with this package.
"""

from spanproof.verifier.entailment.loading import load_model
from spanproof.verifier.entailment.null import EntailmentNotRunWarning, NullEntailment

__all__ = ["EntailmentNotRunWarning", "NullEntailment", "load_model"]
