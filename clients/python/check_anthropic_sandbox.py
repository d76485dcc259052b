"""Anthropic's Python client on the sandbox itself, without the gateway: whether the simulated vendor passes for the real one."""

import harness as h
from anthropic import Anthropic, BadRequestError
from pydantic import BaseModel

suite = h.Suite("anthropic")
client = Anthropic(api_key=h.SANDBOX_KEY, base_url=f"{h.SANDBOX}/anthropic", max_retries=0)
ask = {"role": "user", "content": "What is a gateway?"}
model = "claude-opus-5-5"
place = {"model": model, "max_tokens": 1000}
weather = {
    "name": "get_weather",
    "description": "The weather of a city",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}


def billed() -> dict:
    return h.billed(model)


@suite.check_free("turn, counted beforehand, and the models")
def _():
    count = client.messages.count_tokens(messages=[ask], model=model)
    reply = client.messages.create(messages=[ask], **place)
    assert reply.content[0].text.startswith('You said "What is a gateway?"')
    assert reply.usage.input_tokens == count.input_tokens == billed()["promptTokens"]
    assert reply.usage.output_tokens == billed()["candidatesTokens"]
    assert model in [each.id for each in client.models.list(limit=2)]


@suite.check_free("tools and thinking, streamed")
def _():
    more = {"tools": [weather], "thinking": {"type": "adaptive"}, **place}
    with client.messages.stream(messages=[ask], **more) as stream:
        first = stream.get_final_message()
    assert [block.type for block in first.content] == ["thinking", "tool_use"], first
    result = {"type": "tool_result", "tool_use_id": first.content[1].id, "content": "clear sky"}
    messages = [ask, {"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
    with client.messages.stream(messages=messages, **more) as stream:
        assert "clear sky" in "".join(stream.text_stream)
    first.content[0].thinking = "Other thoughts"
    try:
        client.messages.create(messages=messages, **more)
    except BadRequestError as error:
        assert "Invalid `signature`" in str(error), error
    else:
        raise AssertionError("changed thoughts were accepted")


@suite.check_free("prompt cache")
def _():
    rules = {"type": "text", "text": "rules " * 1000, "cache_control": {"type": "ephemeral", "ttl": "1h"}}
    ours = {"system": [rules], "messages": [ask], **place}
    written, read = (client.messages.create(**ours).usage for _ in range(2))
    assert written.cache_creation.ephemeral_1h_input_tokens == 1500, written
    assert read.cache_read_input_tokens == 1500, read
    assert (billed()["cacheWrite1hTokens"], billed()["cachedTokens"]) == (1500, 1500)


@suite.check_free("structured output")
def _():
    class City(BaseModel):
        name: str
        people: int

    reply = client.messages.parse(messages=[ask], output_format=City, **place)
    assert isinstance(reply.parsed_output, City)


suite.end()
