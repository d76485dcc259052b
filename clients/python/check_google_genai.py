"""The vendor's Python SDK on the pass-through, with no settings but address and key."""

import io
import time

import harness as h
from google import genai
from google.genai import types
from pydantic import BaseModel

suite = h.Suite("google-genai")
client = genai.Client(api_key=h.KEY, http_options=types.HttpOptions(base_url=f"{h.GATEWAY}/vendor"))


def call_of(model: str, usage) -> list[dict]:
    """One call with the vendor's usage. Tokens without a modality count as text."""
    modality = lambda details, name: sum(
        item.token_count for item in details or [] if item.modality == getattr(types.MediaModality, name)
    )
    audio = modality(usage.prompt_tokens_details, "AUDIO")
    made = {
        "output_audio": modality(usage.candidates_tokens_details, "AUDIO"),
        "output_image": modality(usage.candidates_tokens_details, "IMAGE"),
    }
    return h.call(
        model,
        input=usage.prompt_token_count - audio,
        input_audio=audio,
        output=(usage.candidates_token_count or 0) - sum(made.values()),
        reasoning=usage.thoughts_token_count or 0,
        **{unit: count for unit, count in made.items() if count},
    )


@suite.check("turn")
def _():
    reply = client.models.generate_content(model=h.CHAT, contents="What is a gateway?")
    assert "What is a gateway?" in reply.text
    return call_of(h.CHAT, reply.usage_metadata)


@suite.check("stream")
def _():
    pieces = list(client.models.generate_content_stream(model=h.CHAT, contents="Tell me. [[sandbox: chunks=5]]"))
    assert len(pieces) == 5 and "Tell me." in "".join(piece.text for piece in pieces)
    return call_of(h.CHAT, pieces[-1].usage_metadata)


@suite.check("tools")
def _():
    def get_weather(city: str) -> str:
        """The weather of a city."""
        return "clear sky"

    chat = client.chats.create(model=h.CHAT, config=types.GenerateContentConfig(tools=[get_weather]))
    reply = chat.send_message("How is the weather?")
    assert "clear sky" in reply.text
    return h.calls(2)


@suite.check("structured output")
def _():
    class City(BaseModel):
        name: str
        people: int

    reply = client.models.generate_content(
        model=h.CHAT,
        contents="What is a gateway?",
        config=types.GenerateContentConfig(response_mime_type="application/json", response_schema=City),
    )
    assert isinstance(reply.parsed, City)
    return call_of(h.CHAT, reply.usage_metadata)


@suite.check("images, made by a chat model")
def _():
    image = types.Part.from_bytes(data=h.read(h.IMAGE_FILE), mime_type="image/png")
    reply = client.models.generate_content(model=h.DRAWING, contents=["Make it blue", image])
    assert h.is_png(reply.candidates[0].content.parts[-1].inline_data.data)
    return call_of(h.DRAWING, reply.usage_metadata)


voice = types.VoiceConfig(prebuilt_voice_config=types.PrebuiltVoiceConfig(voice_name="Kore"))
spoken = types.GenerateContentConfig(
    response_modalities=["AUDIO"], speech_config=types.SpeechConfig(voice_config=voice)
)


@suite.check("speech")
def _():
    reply = client.models.generate_content(model=h.SPEECH, contents="Say: good morning.", config=spoken)
    audio = reply.candidates[0].content.parts[0].inline_data
    assert audio.mime_type == "audio/L16;codec=pcm;rate=24000" and len(audio.data) > 48_000
    return call_of(h.SPEECH, reply.usage_metadata)


@suite.check("speech, streamed")
def _():
    stream = client.models.generate_content_stream(
        model=h.SPEECH, contents="Say: good morning. [[sandbox: chunks=3]]", config=spoken
    )
    pieces = list(stream)
    assert len(pieces) == 3 and all(piece.candidates[0].content.parts[0].inline_data.data for piece in pieces)
    return call_of(h.SPEECH, pieces[-1].usage_metadata)


@suite.check("transcription")
def _():
    audio = types.Part.from_bytes(data=h.read(h.AUDIO_FILE), mime_type="audio/wav")
    reply = client.models.generate_content(model=h.TRANSCRIPTION, contents=[audio])
    assert reply.candidates[0].content.parts
    return call_of(h.TRANSCRIPTION, reply.usage_metadata)


@suite.check("an uploaded file, used and deleted")
def _():
    file = client.files.upload(file=h.IMAGE_FILE, config=types.UploadFileConfig(display_name="pixel.png"))
    assert (file.display_name, file.mime_type, file.state) == ("pixel.png", "image/png", types.FileState.ACTIVE)
    assert client.files.get(name=file.name).uri == file.uri
    assert file.name in [each.name for each in client.files.list()]
    reply = client.models.generate_content(model=h.CHAT, contents=["What is this?", file])
    assert "What is this?" in reply.text
    # A text of more than one piece: the client sends 8 MiB at once.
    text = io.BytesIO(b"text " * 2_000_000)
    long = client.files.upload(file=text, config=types.UploadFileConfig(mime_type="text/plain"))
    assert long.size_bytes == 10_000_000
    for each in [file, long]:
        client.files.delete(name=each.name)
    assert not list(client.files.list())
    return call_of(h.CHAT, reply.usage_metadata)


@suite.check("embeddings")
def _():
    reply = client.models.embed_content(
        model=h.EMBEDDING, contents=["one", "two"], config=types.EmbedContentConfig(output_dimensionality=64)
    )
    assert [len(item.values) for item in reply.embeddings] == [64, 64]
    return h.calls(1, h.EMBEDDING)


def check_video():
    source = types.GenerateVideosSource(prompt="Waves [[sandbox: videoMs=0]]")
    operation = client.models.generate_videos(model=h.VENDOR_VIDEO, source=source)
    for _ in range(100):
        if operation.done:
            break
        time.sleep(0.1)
        operation = client.operations.get(operation)
    [video] = operation.response.generated_videos
    # By its name, because the client sends its key only to https addresses.
    name = video.video.uri.split("/v1beta/")[1].split(":")[0]
    assert h.is_mp4(client.files.download(file=name))
    return h.call(h.VENDOR_VIDEO, request=1)


if genai.__version__.startswith("2."):
    suite.check("video, ordered, watched and downloaded")(check_video)
    suite.has_none("images with a price each")
else:
    suite.has_none("images with a price each", "video")

suite.end()
