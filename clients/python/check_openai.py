"""OpenAI's Python client on the gateway's own endpoints."""

import base64

import harness as h
from openai import OpenAI
from pydantic import BaseModel

suite = h.Suite("openai")
client = OpenAI(api_key=h.KEY, base_url=f"{h.GATEWAY}/v1")
ask = [{"role": "user", "content": "What is a gateway?"}]
weather = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


@suite.check("turn")
def _():
    raw = client.chat.completions.with_raw_response.create(model=h.CHAT, messages=ask)
    reply = raw.parse()
    assert "What is a gateway?" in reply.choices[0].message.content
    [call] = h.chat_call(h.CHAT, reply.usage)
    return [{**call, "cost": float(raw.headers["x-gateway-response-cost"])}]


@suite.check("stream")
def _():
    stream = client.chat.completions.create(
        model=h.CHAT, messages=ask, stream=True, stream_options={"include_usage": True}
    )
    text, usage = "", None
    for chunk in stream:
        text += chunk.choices[0].delta.content or "" if chunk.choices else ""
        usage = chunk.usage or usage
    assert "What is a gateway?" in text
    return h.chat_call(h.CHAT, usage)


@suite.check("tools")
def _():
    first = client.chat.completions.create(model=h.CHAT, messages=ask, tools=[weather])
    message = first.choices[0].message
    call = message.tool_calls[0]
    assert call.function.name == "get_weather"
    result = {"role": "tool", "tool_call_id": call.id, "content": '{"sky": "clear"}'}
    second = client.chat.completions.create(model=h.CHAT, messages=[*ask, message, result], tools=[weather])
    assert "clear" in second.choices[0].message.content
    return h.chat_call(h.CHAT, first.usage) + h.chat_call(h.CHAT, second.usage)


@suite.check("structured output")
def _():
    class City(BaseModel):
        name: str
        people: int

    reply = client.chat.completions.parse(model=h.CHAT, messages=ask, response_format=City)
    assert isinstance(reply.choices[0].message.parsed, City)
    return h.chat_call(h.CHAT, reply.usage)


@suite.check("an image and a recording in a prompt, separate in the usage")
def _():
    url = "data:image/png;base64," + base64.b64encode(h.read(h.IMAGE_FILE)).decode()
    audio = {"data": base64.b64encode(h.read(h.AUDIO_FILE)).decode(), "format": "wav"}
    parts = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": url}},
        {"type": "input_audio", "input_audio": audio},
    ]
    reply = client.chat.completions.create(model=h.CHAT, messages=[{"role": "user", "content": parts}])
    details = reply.usage.prompt_tokens_details
    assert details.audio_tokens == 32 and details.image_tokens == 258, details
    return h.chat_call(h.CHAT, reply.usage)


@suite.check("images, made by the token")
def _():
    reply = client.images.generate(model=h.DRAWING, prompt="A lighthouse")
    assert h.is_png(base64.b64decode(reply.data[0].b64_json))
    usage = reply.usage
    assert usage.input_tokens_details.text_tokens == usage.input_tokens
    return h.call(h.DRAWING, input=usage.input_tokens, output_image=usage.output_tokens_details.image_tokens)


@suite.check("images with a price each")
def _():
    reply = client.images.generate(model=h.IMAGE, prompt="A lighthouse", n=2, size="1024x1024")
    assert all(h.is_png(base64.b64decode(item.b64_json)) for item in reply.data)
    return h.call(h.IMAGE, image=2)


@suite.check("images, changed")
def _():
    with open(h.IMAGE_FILE, "rb") as image:
        reply = client.images.edit(model=h.DRAWING, prompt="Make it night", image=image)
    usage = reply.usage
    assert usage.input_tokens_details.image_tokens == 258, usage
    return h.call(h.DRAWING, input=usage.input_tokens, output_image=usage.output_tokens)


@suite.check("speech, streamed to a file")
def _():
    with client.audio.speech.with_streaming_response.create(
        model=h.SPEECH, voice="Kore", input="Good morning, everyone."
    ) as reply:
        assert h.is_mp3(reply.read())
    return h.calls(1, h.SPEECH)


@suite.check("music")
def _():
    reply = client.audio.speech.create(model=h.MUSIC, voice="default", input="Slow jazz")
    assert h.is_mp3(reply.content)
    return h.call(h.MUSIC, song=1)


@suite.check("transcription")
def _():
    with open(h.AUDIO_FILE, "rb") as audio:
        reply = client.audio.transcriptions.create(model=h.TRANSCRIPTION, file=audio)
    assert reply.text
    details = reply.usage.input_token_details
    assert details.audio_tokens == 32 and details.text_tokens == 0, details
    return h.call(h.TRANSCRIPTION, input_audio=32, output=reply.usage.output_tokens)


@suite.check("embeddings, of texts and of tokens")
def _():
    texts = client.embeddings.create(model=h.EMBEDDING, input=["Hello world", "Hello"])
    tokens = client.embeddings.create(model=h.EMBEDDING, input=[[9906, 1917], [9906]])
    assert [item.embedding for item in texts.data] == [item.embedding for item in tokens.data]
    assert texts.usage == tokens.usage
    return 2 * h.call(h.EMBEDDING, input=texts.usage.prompt_tokens)


@suite.check("video, with create_and_poll")
def _():
    video = client.videos.create_and_poll(
        model=h.VIDEO, prompt="Waves [[sandbox: videoMs=1500]]", seconds="4", size="1280x720", poll_interval_ms=100
    )
    assert video.status == "completed", video
    assert h.is_mp4(client.videos.download_content(video.id).read())
    return h.call(h.VIDEO, second_720p=4)


suite.end()
