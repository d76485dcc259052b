"""LiteLLM's client, which sees the gateway as an OpenAI-compatible server."""

import base64
import json
import time

import harness as h
import litellm
from pydantic import BaseModel

suite = h.Suite("litellm")
litellm.telemetry = False
litellm.suppress_debug_info = True
place = {"api_base": f"{h.GATEWAY}/v1", "api_key": h.KEY}
ask = [{"role": "user", "content": "What is a gateway?"}]
weather = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


def named(model: str) -> str:
    return f"openai/{model}"


@suite.check("turn")
def _():
    reply = litellm.completion(model=named(h.CHAT), messages=ask, **place)
    assert "What is a gateway?" in reply.choices[0].message.content
    return h.cost_of_chat(h.CHAT, reply.usage)


@suite.check("stream")
def _():
    stream = litellm.completion(
        model=named(h.CHAT), messages=ask, stream=True, stream_options={"include_usage": True}, **place
    )
    whole = litellm.stream_chunk_builder(list(stream), messages=ask)
    assert "What is a gateway?" in whole.choices[0].message.content
    return h.cost_of_chat(h.CHAT, whole.usage)


@suite.check("tools")
def _():
    first = litellm.completion(model=named(h.CHAT), messages=ask, tools=[weather], **place)
    message = first.choices[0].message
    call = message.tool_calls[0]
    assert "city" in json.loads(call.function.arguments)
    result = {"role": "tool", "tool_call_id": call.id, "content": '{"sky": "clear"}'}
    second = litellm.completion(model=named(h.CHAT), messages=[*ask, message, result], tools=[weather], **place)
    assert "clear" in second.choices[0].message.content
    return h.cost_of_chat(h.CHAT, first.usage) + h.cost_of_chat(h.CHAT, second.usage)


@suite.check("structured output")
def _():
    class City(BaseModel):
        name: str
        people: int

    reply = litellm.completion(model=named(h.CHAT), messages=ask, response_format=City, **place)
    City.model_validate_json(reply.choices[0].message.content)
    return h.cost_of_chat(h.CHAT, reply.usage)


@suite.check("images, made by the token")
def _():
    reply = litellm.image_generation(model=named(h.DRAWING), prompt="A lighthouse", **place)
    assert h.is_png(base64.b64decode(reply.data[0].b64_json))
    return h.cost(h.DRAWING, input=reply.usage.input_tokens, output_image=reply.usage.output_tokens)


@suite.check("images with a price each")
def _():
    reply = litellm.image_generation(model=named(h.IMAGE), prompt="A lighthouse", n=2, **place)
    assert len(reply.data) == 2
    return h.cost(h.IMAGE, image=2)


@suite.check("images, changed")
def _():
    with open(h.IMAGE_FILE, "rb") as image:
        reply = litellm.image_edit(model=named(h.DRAWING), prompt="Make it night", image=[image], **place)
    assert h.is_png(base64.b64decode(reply.data[0].b64_json))
    return h.cost(h.DRAWING, input=reply.usage.input_tokens, output_image=reply.usage.output_tokens)


@suite.check("speech")
def _():
    reply = litellm.speech(model=named(h.SPEECH), voice="Kore", input="Good morning, everyone.", **place)
    assert h.is_mp3(reply.content)
    return h.cost_of_speech()


@suite.check("transcription")
def _():
    with open(h.AUDIO_FILE, "rb") as audio:
        reply = litellm.transcription(model=named(h.TRANSCRIPTION), file=audio, **place)
    assert reply.text
    usage = reply.usage
    assert usage.input_token_details.audio_tokens == 32, usage
    return h.cost(h.TRANSCRIPTION, input_audio=32, output=usage.output_tokens)


@suite.check("embeddings, of texts and of tokens")
def _():
    texts = litellm.embedding(model=named(h.EMBEDDING), input=["Hello world", "Hello"], **place)
    tokens = litellm.embedding(model=named(h.EMBEDDING), input=[[9906, 1917], [9906]], **place)
    assert [item["embedding"] for item in texts.data] == [item["embedding"] for item in tokens.data]
    return 2 * h.cost(h.EMBEDDING, input=texts.usage.prompt_tokens)


@suite.check("video, ordered, watched and downloaded")
def _():
    video = litellm.video_generation(
        model=named(h.VIDEO), prompt="Waves [[sandbox: videoMs=0]]", seconds="4", size="1280x720", **place
    )
    for _ in range(100):
        if video.status == "completed":
            break
        time.sleep(0.1)
        video = litellm.video_status(video_id=video.id, **place)
    assert h.is_mp4(litellm.video_content(video_id=video.id, **place))
    return h.cost(h.VIDEO, second_720p=4)


suite.end()
