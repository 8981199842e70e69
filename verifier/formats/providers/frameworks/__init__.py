"""Answers as frameworks keep them: LangChain, LlamaIndex and LangExtract."""
