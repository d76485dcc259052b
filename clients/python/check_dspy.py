"""
DSPy through LiteLLM, with its JSON adapter. Its default adapter writes the form of the answer into the prompt, which the sandbox does not
follow.
"""

import asyncio
import json

import dspy
import harness as h
import litellm

suite = h.Suite("dspy")
# LiteLLM knows what the vendors' models can do, but not the gateway's names for them.
able = {"litellm_provider": "openai", "mode": "chat", "supports_function_calling": True, "supports_response_schema": True}
litellm.register_model({f"openai/{h.CHAT}": able})
dspy.configure(lm=dspy.LM(f"openai/{h.CHAT}", api_base=f"{h.GATEWAY}/v1", api_key=h.KEY, cache=False, engine="litellm"))


@suite.check("turn")
def _():
    [reply] = dspy.settings.lm("What is a gateway?")
    assert "What is a gateway?" in str(reply)
    return h.calls(1)


@suite.check("tools")
def _():
    weather = dspy.Tool(lambda city: "clear sky", name="get_weather", args={"city": {"type": "string"}})

    class Ask(dspy.Signature):
        question: str = dspy.InputField()
        tools: list[dspy.Tool] = dspy.InputField()
        outputs: dspy.ToolCalls = dspy.OutputField()

    with dspy.context(adapter=dspy.JSONAdapter()):
        [call] = dspy.Predict(Ask)(question="How is the weather?", tools=[weather]).outputs.tool_calls
    function = {"name": call.name, "arguments": json.dumps(call.args)}
    messages = [
        {"role": "user", "content": "How is the weather?"},
        {"role": "assistant", "tool_calls": [{"id": "call_1", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "call_1", "content": weather(**call.args)},
    ]
    assert "clear sky" in str(dspy.settings.lm(messages=messages))
    return h.calls(2)


@suite.check("stream")
def _():
    async def read() -> list:
        program = dspy.streamify(dspy.Predict("question -> answer"), async_streaming=True)
        with dspy.context(adapter=dspy.JSONAdapter()):
            return [piece async for piece in program(question="What is a gateway?")]

    assert len(asyncio.run(read())) > 1
    return h.calls(1)


@suite.check("structured output")
def _():
    with dspy.context(adapter=dspy.JSONAdapter()):
        reply = dspy.Predict("question -> city: str, people: int")(question="What is a gateway?")
    assert isinstance(reply.people, int)
    return h.calls(1)


suite.note(
    'With `engine="litellm"` and `litellm.register_model`, which says that a model has tools and schemas; otherwise DSPy asks for the '
    "form of the answer in the prompt."
)
suite.end()
