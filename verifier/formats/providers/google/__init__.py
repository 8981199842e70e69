"""Gemini, Vertex AI Search and Check Grounding."""
