"""Instructor over OpenAI's client, with its default mode (tools)."""

import harness as h
import instructor
from openai import OpenAI
from pydantic import BaseModel

suite = h.Suite("instructor")
client = instructor.from_openai(OpenAI(api_key=h.KEY, base_url=f"{h.GATEWAY}/v1"))
ask = {"role": "user", "content": "Name a city."}


class City(BaseModel):
    name: str
    people: int


@suite.check("structured output")
def _():
    city, completion = client.create_with_completion(model=h.CHAT, messages=[ask], response_model=City)
    assert isinstance(city, City)
    return h.chat_call(h.CHAT, completion.usage)


@suite.check("stream")
def _():
    *_, last = client.create_partial(model=h.CHAT, messages=[ask], response_model=City)
    City.model_validate(last.model_dump())
    return h.calls(1)


@suite.check("turn")
def _():
    reply = client.create(model=h.CHAT, messages=[ask], response_model=None)
    assert "Name a city." in reply.choices[0].message.content
    return h.chat_call(h.CHAT, reply.usage)


suite.has_none("tools")
suite.end()
