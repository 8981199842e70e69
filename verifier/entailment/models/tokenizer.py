"""The model's own tokenizer, loaded whole: nothing is cut or padded behind our back."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from tokenizers import Tokenizer

from spanproof.core.digest import Digest
from spanproof.core.errors import ModelUnavailableError

if TYPE_CHECKING:
    from spanproof.verifier.entailment.models.folder import ModelFolder


def load_tokenizer(folder: ModelFolder) -> tuple[Tokenizer, Digest]:
    """The tokenizer and its digest; raise ModelUnavailableError where it cannot be read."""
    path = folder.path / "tokenizer.json"
    try:
        if path.is_file():
            tokenizer = Tokenizer.from_file(str(path))
            content = path.read_bytes()
        else:
            # Only folders without the fast form need it, and it takes seconds to import.
            import transformers

            slow = transformers.AutoTokenizer.from_pretrained(
                folder.path, local_files_only=True, trust_remote_code=False
            )
            tokenizer = Tokenizer.from_str(slow.backend_tokenizer.to_str())
            content = tokenizer.to_str().encode()
    # tokenizers raises bare Exception for a file that it cannot read.
    except Exception as error:
        msg = f"Expected a tokenizer in {folder.path.name!r}, got {error!s}."
        raise ModelUnavailableError(msg, hint="Add the model's tokenizer.json.") from error
    # Whole texts in, nothing padded: windows and the claim's length are decided here.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer, Digest(hashlib.sha256(content).hexdigest())


def find_unknown(tokenizer: Tokenizer) -> int | None:
    """The id that stands for what the vocabulary cannot spell; None where it spells every byte."""
    model = json.loads(tokenizer.to_str())["model"]
    if isinstance(model.get("unk_id"), int):  # Unigram
        return int(model["unk_id"])
    token = model.get("unk_token")
    return None if token is None else tokenizer.token_to_id(str(token))
