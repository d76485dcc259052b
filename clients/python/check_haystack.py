"""Haystack's generator for OpenAI with no settings but address and key."""

import harness as h
from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import tool
from haystack.utils import Secret
from pydantic import BaseModel

suite = h.Suite("haystack-ai")
ask = [ChatMessage.from_user("What is a gateway?")]


class City(BaseModel):
    name: str
    people: int


def generator(**options) -> OpenAIChatGenerator:
    key = Secret.from_token(h.KEY)
    return OpenAIChatGenerator(api_key=key, api_base_url=f"{h.GATEWAY}/v1", model=h.CHAT, **options)


@suite.check("turn")
def _():
    [reply] = generator().run(ask)["replies"]
    assert "What is a gateway?" in reply.text
    return h.calls(1)


@suite.check("tools")
def _():
    @tool
    def get_weather(city: str) -> str:
        """The weather of a city."""
        return "clear sky"

    result = Agent(chat_generator=generator(), tools=[get_weather]).run(messages=ask)
    assert "clear sky" in result["last_message"].text
    return h.calls(2)


@suite.check("stream")
def _():
    pieces = []
    generator(streaming_callback=pieces.append).run(ask)
    assert "What is a gateway?" in "".join(piece.content for piece in pieces)
    return h.calls(1)


@suite.check("structured output")
def _():
    [reply] = generator(generation_kwargs={"response_format": City}).run(ask)["replies"]
    City.model_validate_json(reply.text)
    return h.calls(1)


suite.end()
