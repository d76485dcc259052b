"""OpenAI's Agents SDK with its defaults, which use the Responses API."""

import asyncio

import harness as h
from agents import Agent, Runner, function_tool, set_default_openai_client, set_tracing_disabled
from openai import AsyncOpenAI
from pydantic import BaseModel

suite = h.Suite("openai-agents")
# Otherwise it would send traces to OpenAI.
set_tracing_disabled(True)


class City(BaseModel):
    name: str
    people: int


@function_tool
def get_weather(city: str) -> str:
    """The weather of a city."""
    return "clear sky"


def agent(**options) -> Agent:
    # One client for each event loop.
    set_default_openai_client(AsyncOpenAI(api_key=h.KEY, base_url=f"{h.GATEWAY}/v1"))
    return Agent(name="Guide", instructions="Be brief.", model=h.CHAT, **options)


@suite.check("turn")
def _():
    assert "What is a gateway?" in Runner.run_sync(agent(), "What is a gateway?").final_output
    return h.calls(1)


@suite.check("tools")
def _():
    assert "clear sky" in Runner.run_sync(agent(tools=[get_weather]), "How is the weather?").final_output
    return h.calls(2)


@suite.check("stream")
def _():
    async def read() -> str:
        result = Runner.run_streamed(agent(), "What is a gateway?")
        pieces = [event async for event in result.stream_events() if event.type == "raw_response_event"]
        assert any(piece.data.type == "response.output_text.delta" for piece in pieces)
        return result.final_output

    assert "What is a gateway?" in asyncio.run(read())
    return h.calls(1)


@suite.check("structured output")
def _():
    assert isinstance(Runner.run_sync(agent(output_type=City), "Name a city.").final_output, City)
    return h.calls(1)


suite.note(
    "Create an AsyncOpenAI in the event loop that uses it: left over from a loop that has ended, it sends its next request twice, and "
    "both are charged."
)
suite.end()
