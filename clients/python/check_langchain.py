"""LangChain's client for OpenAI with its own defaults: chat models and embeddings."""

import base64

import harness as h
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import BaseModel

suite = h.Suite("langchain-openai")
place = {"base_url": f"{h.GATEWAY}/v1", "api_key": h.KEY}
chat = ChatOpenAI(model=h.CHAT, **place)


def call_of(model: str, usage) -> list[dict]:
    """One call with LangChain's own names for usage."""
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"], usage
    audio = usage["input_token_details"].get("audio", 0)
    return h.call(model, input=usage["input_tokens"] - audio, input_audio=audio, output=usage["output_tokens"])


@suite.check("turn")
def _():
    reply = chat.invoke("What is a gateway?")
    assert "What is a gateway?" in reply.content
    return call_of(h.CHAT, reply.usage_metadata)


@suite.check("stream")
def _():
    whole = None
    for piece in ChatOpenAI(model=h.CHAT, stream_usage=True, **place).stream("What is a gateway?"):
        whole = piece if whole is None else whole + piece
    assert "What is a gateway?" in whole.content
    return call_of(h.CHAT, whole.usage_metadata)


@suite.check("tools")
def _():
    @tool
    def get_weather(city: str) -> str:
        """The weather of a city."""
        return "clear sky"

    model = chat.bind_tools([get_weather])
    ask = HumanMessage("How is the weather?")
    first = model.invoke([ask])
    [call] = first.tool_calls
    assert call["name"] == "get_weather"
    second = model.invoke([ask, first, ToolMessage(get_weather.invoke(call["args"]), tool_call_id=call["id"])])
    assert "clear sky" in second.content
    return call_of(h.CHAT, first.usage_metadata) + call_of(h.CHAT, second.usage_metadata)


@suite.check("structured output")
def _():
    class City(BaseModel):
        """A city."""

        name: str
        people: int

    assert isinstance(chat.with_structured_output(City).invoke("What is a gateway?"), City)
    return h.calls(1)


@suite.check("an image and a recording in a prompt")
def _():
    encode = lambda path: base64.b64encode(h.read(path)).decode()
    parts = [
        {"type": "text", "text": "What is this?"},
        {"type": "image", "base64": encode(h.IMAGE_FILE), "mime_type": "image/png"},
        {"type": "audio", "base64": encode(h.AUDIO_FILE), "mime_type": "audio/wav"},
    ]
    reply = chat.invoke([HumanMessage(parts)])
    assert reply.usage_metadata["input_token_details"]["audio"] == 32, reply.usage_metadata
    return call_of(h.CHAT, reply.usage_metadata)


@suite.check("embeddings, with the defaults: as tokens")
def _():
    embeddings = OpenAIEmbeddings(model=h.EMBEDDING, **place)
    texts = ["Hello world", "Grüße, 日本語 😀"]
    vectors = embeddings.embed_documents(texts)
    plain = OpenAIEmbeddings(model=h.EMBEDDING, check_embedding_ctx_length=False, **place).embed_documents(texts)
    assert [[round(x, 5) for x in v] for v in vectors] == [[round(x, 5) for x in v] for v in plain]
    # Two texts of 11 and 12 code points, requested twice. A token has four code points.
    return 2 * h.call(h.EMBEDDING, input=3 + 3)


@suite.check("embeddings of a text longer than the client sends at once")
def _():
    vector = OpenAIEmbeddings(model=h.EMBEDDING, **place).embed_query("Every word of it counts. " * 2000)
    assert len(vector) > 0
    return h.calls(1, h.EMBEDDING)


suite.note("`stream_usage=True` for the usage of a stream.")
suite.has_none("images as output", "speech", "transcription", "video")
suite.end()
