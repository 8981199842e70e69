"""LlamaIndex: an evaluator of responses that asks no judge model.

pip install spanproof llama-index-core openai
No service and no SPANPROOF_SAMPLING_RATE=1 is needed: this process checks every answer.
"""

from llama_index.core import SummaryIndex
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
from llama_index.core.query_engine import CitationQueryEngine
from llama_index.core.schema import TextNode
from openai import OpenAI

import spanproof
from spanproof.client.adoption.llamaindex_check import SpanproofEvaluator

NODES = [
    TextNode(text="The lease runs for five years.", metadata={"file_name": "lease.pdf"}),
    TextNode(text="The rent is 850 euros a month.", metadata={"file_name": "lease.pdf"}),
]


class Model(CustomLLM):
    """Stands for your model; ``llama-index-llms-openai`` brings one."""

    @property
    def metadata(self) -> LLMMetadata:
        """What the framework asks about it."""
        return LLMMetadata(model_name="gpt-5-mini")

    def complete(self, prompt: str, formatted: bool = False, **_: object) -> CompletionResponse:
        """Ask by the SDK."""
        message = {"role": "user", "content": prompt}
        said = OpenAI().chat.completions.create(model="gpt-5-mini", messages=[message])
        return CompletionResponse(text=said.choices[0].message.content)

    def stream_complete(self, prompt: str, formatted: bool = False, **_: object):
        """The same in one piece."""
        yield self.complete(prompt)


if __name__ == "__main__":
    question = "What is the rent?"
    engine = CitationQueryEngine.from_args(SummaryIndex(NODES), llm=Model())
    response = engine.query(question)
    evaluator = SpanproofEvaluator(spanproof.verify)
    result = evaluator.evaluate_response(query=question, response=response)
    print(f"passing: {result.passing}, score: {result.score}")
    print(result.feedback)
