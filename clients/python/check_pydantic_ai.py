"""Pydantic AI with its model for OpenAI and no settings but address and key."""

import asyncio

import harness as h
from openai import AsyncOpenAI
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

suite = h.Suite("pydantic-ai-slim")


class City(BaseModel):
    name: str
    people: int


def agent(**options) -> Agent:
    # One client for each event loop.
    provider = OpenAIProvider(openai_client=AsyncOpenAI(base_url=f"{h.GATEWAY}/v1", api_key=h.KEY))
    return Agent(OpenAIChatModel(h.CHAT, provider=provider), **options)


@suite.check("turn")
def _():
    assert "What is a gateway?" in agent().run_sync("What is a gateway?").output
    return h.calls(1)


@suite.check("tools")
def _():
    guide = agent()

    @guide.tool_plain
    def get_weather(city: str) -> str:
        """The weather of a city."""
        return "clear sky"

    assert "clear sky" in guide.run_sync("How is the weather?").output
    return h.calls(2)


@suite.check("stream")
def _():
    async def read() -> str:
        async with agent().run_stream("What is a gateway?") as result:
            return await result.get_output()

    assert "What is a gateway?" in asyncio.run(read())
    return h.calls(1)


@suite.check("structured output")
def _():
    assert isinstance(agent(output_type=City).run_sync("Name a city.").output, City)
    return h.calls(1)


suite.end()
