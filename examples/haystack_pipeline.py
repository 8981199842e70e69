"""Haystack: a component behind the generator checks every reply.

pip install spanproof haystack-ai
No service and no SPANPROOF_SAMPLING_RATE=1 is needed: this process checks every answer.
"""

from haystack import Document, Pipeline
from haystack.components.builders import ChatPromptBuilder
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage

import spanproof
from spanproof.client.adoption.haystack import AnswerChecker

DOCUMENTS = [
    Document(content="The lease runs for five years.", meta={"file_path": "lease.pdf"}),
    Document(content="The rent is 850 euros a month.", meta={"file_path": "lease.pdf"}),
]
TEMPLATE = """Answer from these texts and cite them by their numbers.
{% for each in documents %}[{{ loop.index }}] {{ each.content }}
{% endfor %}
{{ question }}"""

pipeline = Pipeline()
pipeline.add_component(
    "prompt",
    ChatPromptBuilder([ChatMessage.from_user(TEMPLATE)], required_variables=["documents"]),
)
pipeline.add_component("model", OpenAIChatGenerator())
pipeline.add_component("checker", AnswerChecker(spanproof.verify))
pipeline.connect("prompt.prompt", "model.messages")
pipeline.connect("model.replies", "checker.replies")

if __name__ == "__main__":
    question = "What is the rent?"
    given = {"documents": DOCUMENTS}
    done = pipeline.run({"prompt": given | {"question": question}, "checker": given})["checker"]
    for reply, result, block in zip(
        done["replies"], done["results"], done["verifications"], strict=True
    ):
        print(f"{result}: {reply}")
        for verdict in block["verdicts"]:
            print(f"  [{verdict['anchor']}] {verdict['outcome']}: {verdict['notes']}")
