"""The larger second tier: an MPNet encoder whose logits are blended with the embedded model's."""
