"""OpenAI: Responses, Chat Completions and Assistants."""
