"""What a model must show before it is used: canary, golden pairs and agreement between backends."""
