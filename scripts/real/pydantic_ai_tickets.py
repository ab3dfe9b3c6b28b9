# pydantic-ai, as its documentation shows it: a record of each ticket, all of them at once as the server has slots. URL on the command line.
#
# Tickets come on stdin, a line each; to stdout goes, as a line of JSON for each, when it was sent and settled, and the answer or null.

import asyncio
import json
import sys
import time
from typing import Literal

from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

SYSTEM, URL, SLOTS, MAX_TOKENS = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])


class Ticket(BaseModel):
    urgency: Literal["low", "normal", "high"]
    team: Literal["billing", "support", "sales"]
    summary: str


model = OpenAIChatModel("smollm2", provider=OpenAIProvider(base_url=URL, api_key="none"))
agent = Agent(
    model,
    output_type=NativeOutput(Ticket),
    system_prompt=SYSTEM,
    retries=3,
    model_settings={"temperature": 0, "max_tokens": MAX_TOKENS},
)


async def main() -> None:
    slots = asyncio.Semaphore(SLOTS)

    async def ask(ticket: str) -> str:
        async with slots:
            began, answer = time.time(), None
            try:
                answer = (await agent.run(ticket)).output.model_dump()
            except Exception as error:
                print(f"{type(error).__name__}: {error}", file=sys.stderr)
            return json.dumps({"began": began, "ended": time.time(), "answer": answer})

    for answer in await asyncio.gather(*(ask(line) for line in sys.stdin.read().splitlines())):
        print(answer)


asyncio.run(main())
