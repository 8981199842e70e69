"""LangChain: every answer of a chain goes to the service, which verifies it in the background.

pip install 'spanproof[server]' langchain-openai
SPANPROOF_SAMPLING_RATE=1 spanproof serve
"""

import os

from langchain_core.documents import Document
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnablePassthrough
from langchain_openai import ChatOpenAI

from spanproof import Client
from spanproof.client.adoption import AnswerQueue
from spanproof.client.adoption.langchain import AnswerCallback


class Shelf(BaseRetriever):
    """Stands for your retriever."""

    def _get_relevant_documents(self, query: str, *, run_manager: object) -> list[Document]:
        return [
            Document("The lease runs for five years.", metadata={"source": "lease"}),
            Document("The rent is 850 euros a month.", metadata={"source": "lease"}),
        ]


PROMPT = ChatPromptTemplate.from_template(
    "Answer from these texts and cite the first as [1], the second as [2].\n{context}\n\n{question}"
)
chain = {"context": Shelf(), "question": RunnablePassthrough()} | PROMPT | ChatOpenAI()

if __name__ == "__main__":
    client = Client(os.environ.get("SPANPROOF_URL", "http://127.0.0.1:8321"))
    queue = AnswerQueue(client, verify_all=True, on_verified=print)
    config = {"callbacks": [AnswerCallback(queue)]}
    chain.invoke("What is the rent?", config=config)
    queue.flush(60)
