"""LangChain: a step that checks the answer before the chain goes on.

pip install spanproof langchain-openai
No service and no SPANPROOF_SAMPLING_RATE=1 is needed: this process checks every answer.
"""

from langchain_core.documents import Document
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_openai import ChatOpenAI

import spanproof
from spanproof.client.adoption.langchain_check import check_answer

DOCUMENTS = [
    Document("The lease runs for five years.", metadata={"source": "lease.pdf"}),
    Document("The rent is 850 euros a month.", metadata={"source": "lease.pdf"}),
]
PROMPT = ChatPromptTemplate.from_template(
    "Answer from these texts and cite them as [1], [2].\n{numbered}\n\n{question}"
)


def number(fields: dict) -> str:
    """Show the documents to the model with the numbers that it is to cite."""
    return "\n".join(f"[{n}] {each.page_content}" for n, each in enumerate(fields["context"], 1))


chain = (
    RunnablePassthrough.assign(context=RunnableLambda(lambda _: DOCUMENTS))
    | RunnablePassthrough.assign(numbered=RunnableLambda(number))
    | RunnablePassthrough.assign(answer=PROMPT | ChatOpenAI() | StrOutputParser())
    | check_answer(spanproof.verify)
)

if __name__ == "__main__":
    print(chain.invoke({"question": "What is the rent?"})["verification"])
