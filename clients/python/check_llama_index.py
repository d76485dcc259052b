"""LlamaIndex with its client for OpenAI-compatible servers."""

import asyncio

import harness as h
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.llms import ChatMessage
from llama_index.llms.openai_like import OpenAILike
from pydantic import BaseModel

suite = h.Suite("llama-index-llms-openai-like")
place = {"model": h.CHAT, "api_base": f"{h.GATEWAY}/v1", "api_key": h.KEY, "is_chat_model": True}
llm = OpenAILike(is_function_calling_model=True, **place)


class City(BaseModel):
    """A city."""

    name: str
    people: int


@suite.check("turn")
def _():
    reply = llm.chat([ChatMessage("What is a gateway?")])
    assert "What is a gateway?" in reply.message.content
    return h.calls(1)


@suite.check("tools")
def _():
    def get_weather(city: str) -> str:
        """The weather of a city."""
        return "clear sky"

    async def run() -> str:
        return str(await FunctionAgent(tools=[get_weather], llm=llm).run("How is the weather?"))

    assert "clear sky" in asyncio.run(run())
    return h.calls(2)


@suite.check("stream")
def _():
    *_, last = llm.stream_chat([ChatMessage("What is a gateway?")])
    assert "What is a gateway?" in last.message.content
    return h.calls(1)


@suite.check("structured output")
def _():
    assert isinstance(llm.as_structured_llm(City).complete("Name a city.").raw, City)
    return h.calls(1)


suite.note("`is_chat_model` and `is_function_calling_model`, since LlamaIndex does not know the models.")
suite.end()
