"""FastAPI, Starlette or any ASGI application: every answer goes to the service.

pip install 'spanproof[server]' fastapi openai
SPANPROOF_SAMPLING_RATE=1 spanproof serve
"""

import asyncio
import os

import httpx
from fastapi import FastAPI
from openai import AsyncOpenAI

from spanproof import Client
from spanproof.client.adoption import AnswerQueue
from spanproof.client.adoption.asgi import AnswerMiddleware

TEXTS = ["The lease runs for five years.", "The rent is 850 euros a month."]
client = Client(os.environ.get("SPANPROOF_URL", "http://127.0.0.1:8321"))
queue = AnswerQueue(client, verify_all=True, on_verified=print)
app = FastAPI()
app.add_middleware(AnswerMiddleware, queue=queue, paths=["/chat"])


@app.post("/chat")
async def chat(question: str) -> dict:
    """Answer with the texts that the prompt numbered: Spanproof checks the answer by them."""
    numbered = "\n".join(f"[{n}] {text}" for n, text in enumerate(TEXTS, start=1))
    message = {"role": "user", "content": f"{numbered}\nCite by number. {question}"}
    said = await AsyncOpenAI().chat.completions.create(model="gpt-5-mini", messages=[message])
    retrieved = [
        {"doc_id": "lease", "chunk_id": f"lease-{n}", "text": t} for n, t in enumerate(TEXTS)
    ]
    return {"answer": said.choices[0].message.content, "citations": [], "retrieved": retrieved}


async def main() -> None:
    """Ask the application once, as a browser does."""
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://app") as browser:
        await browser.post("/chat", params={"question": "What is the rent?"})


if __name__ == "__main__":
    asyncio.run(main())
    queue.flush(60)
