# LangGraph, as its documentation shows it: a record of each ticket, all of them at once as the server has slots. URL on the command line.
#
# Tickets come on stdin, a line each; to stdout goes, as a line of JSON for each, when it was sent and settled, and the answer or null.

import asyncio
import json
import sys
import time
from typing import Literal

from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import RetryPolicy
from pydantic import BaseModel

SYSTEM, URL, SLOTS, MAX_TOKENS = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])


class Ticket(BaseModel):
    urgency: Literal["low", "normal", "high"]
    team: Literal["billing", "support", "sales"]
    summary: str


class State(MessagesState):
    ticket: Ticket | None


model = ChatOpenAI(model="smollm2", base_url=URL, api_key="none", temperature=0, max_tokens=MAX_TOKENS)
structured = model.with_structured_output(Ticket, method="json_schema")


async def triage(state: State) -> dict:
    return {"ticket": await structured.ainvoke([("system", SYSTEM), *state["messages"]])}


graph = StateGraph(State)
graph.add_node("triage", triage, retry_policy=RetryPolicy(max_attempts=4, initial_interval=0.0, retry_on=Exception))
graph.add_edge(START, "triage")
graph.add_edge("triage", END)
app = graph.compile()


async def main() -> None:
    slots = asyncio.Semaphore(SLOTS)

    async def ask(ticket: str) -> str:
        async with slots:
            began, answer = time.time(), None
            try:
                answer = (await app.ainvoke({"messages": [("user", ticket)]}))["ticket"].model_dump()
            except Exception as error:
                print(f"{type(error).__name__}: {error}", file=sys.stderr)
            return json.dumps({"began": began, "ended": time.time(), "answer": answer})

    for answer in await asyncio.gather(*(ask(line) for line in sys.stdin.read().splitlines())):
        print(answer)


asyncio.run(main())
