"""Hugging Face's smolagents with its model for OpenAI and no settings but address and key."""

import harness as h
from smolagents import ChatMessage, MessageRole, OpenAIModel, ToolCallingAgent, tool
from smolagents.models import ChatMessageStreamDelta

suite = h.Suite("smolagents")
model = OpenAIModel(model_id=h.CHAT, api_base=f"{h.GATEWAY}/v1", api_key=h.KEY)
ask = [ChatMessage(role=MessageRole.USER, content=[{"type": "text", "text": "What is a gateway?"}])]


@suite.check("turn")
def _():
    assert "What is a gateway?" in model.generate(ask).content
    return h.calls(1)


@suite.check("tools")
def _():
    @tool
    def get_weather(city: str) -> str:
        """The weather of a city.

        Args:
            city: Its name.
        """
        return "clear sky"

    # The second turn is the answer that it demands when it has no step left.
    agent = ToolCallingAgent(tools=[get_weather], model=model, max_steps=1, verbosity_level=0)
    assert agent.run("How is the weather?")
    assert "clear sky" in str(agent.memory.steps[1].observations)
    return h.calls(2)


@suite.check("stream")
def _():
    pieces: list[ChatMessageStreamDelta] = list(model.generate_stream(ask))
    assert "What is a gateway?" in "".join(piece.content or "" for piece in pieces)
    return h.calls(1)


@suite.check("structured output")
def _():
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
        "additionalProperties": False,
    }
    form = {"type": "json_schema", "json_schema": {"name": "city", "schema": schema, "strict": True}}
    assert '"name"' in model.generate(ask, response_format=form).content
    return h.calls(1)


suite.note("Tools with `max_steps=1`, since the sandbox never calls the final answer that this agent waits for.")
suite.end()
