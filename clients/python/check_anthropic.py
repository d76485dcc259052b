"""Anthropic's Python client on the gateway's Messages endpoint, with no settings but address and key."""

import harness as h
from anthropic import Anthropic
from pydantic import BaseModel

suite = h.Suite("anthropic")
client = Anthropic(api_key=h.KEY, base_url=h.GATEWAY)
ask = {"role": "user", "content": "What is a gateway?"}
place = {"model": h.CHAT, "max_tokens": 1000}
weather = {
    "name": "get_weather",
    "description": "The weather of a city",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}


@suite.check("turn")
def _():
    reply = client.messages.create(messages=[ask], **place)
    assert "What is a gateway?" in reply.content[0].text
    return h.call(h.CHAT, input=reply.usage.input_tokens, output=reply.usage.output_tokens)


@suite.check("tools")
def _():
    first = client.messages.create(messages=[ask], tools=[weather], **place)
    [call] = [block for block in first.content if block.type == "tool_use"]
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "clear sky"}
    messages = [ask, {"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
    second = client.messages.create(messages=messages, tools=[weather], **place)
    assert "clear sky" in second.content[0].text
    return h.calls(2)


@suite.check("stream")
def _():
    with client.messages.stream(messages=[ask], **place) as stream:
        assert "What is a gateway?" in "".join(stream.text_stream)
        usage = stream.get_final_message().usage
    return h.call(h.CHAT, input=usage.input_tokens, output=usage.output_tokens)


@suite.check("structured output")
def _():
    class City(BaseModel):
        name: str
        people: int

    reply = client.messages.parse(messages=[ask], output_format=City, **place)
    assert isinstance(reply.parsed_output, City)
    return h.calls(1)


suite.end()
