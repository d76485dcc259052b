"""LiteLLM's client, which sees the gateway as an OpenAI-compatible server."""

import base64
import json
import time
from datetime import datetime, timedelta, timezone

import harness as h
import litellm
from litellm.proxy.client import Client
from litellm.proxy.client.health import HealthManagementClient
from litellm.proxy.client.users import UsersManagementClient
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
    return h.chat_call(h.CHAT, reply.usage)


@suite.check("stream")
def _():
    stream = litellm.completion(
        model=named(h.CHAT), messages=ask, stream=True, stream_options={"include_usage": True}, **place
    )
    whole = litellm.stream_chunk_builder(list(stream), messages=ask)
    assert "What is a gateway?" in whole.choices[0].message.content
    return h.chat_call(h.CHAT, whole.usage)


@suite.check("tools")
def _():
    first = litellm.completion(model=named(h.CHAT), messages=ask, tools=[weather], **place)
    message = first.choices[0].message
    call = message.tool_calls[0]
    assert "city" in json.loads(call.function.arguments)
    result = {"role": "tool", "tool_call_id": call.id, "content": '{"sky": "clear"}'}
    second = litellm.completion(model=named(h.CHAT), messages=[*ask, message, result], tools=[weather], **place)
    assert "clear" in second.choices[0].message.content
    return h.chat_call(h.CHAT, first.usage) + h.chat_call(h.CHAT, second.usage)


@suite.check("the proxy's client with a gateway key")
def _():
    client = Client(base_url=h.GATEWAY, api_key=h.KEY)
    chat = client.models.get(model_name=h.CHAT)["model_info"]
    assert (chat["mode"], chat["input_cost_per_token"]) == ("chat", 3e-7), chat
    assert h.CHAT in [group["model_group"] for group in client.model_groups.info()]
    assert len(UsersManagementClient(h.GATEWAY, h.KEY).get_user()["keys"]) == 1
    assert HealthManagementClient(h.GATEWAY).get_readiness() == {"status": "healthy", "db": "connected"}
    return h.chat_call(h.CHAT, client.chat.completions(model=h.CHAT, messages=ask)["usage"])


@suite.check("the proxy's client with an admin key")
def _():
    client = Client(base_url=h.ADMIN, api_key=h.ADMIN_KEY)
    post = lambda path, body: client.http.request("POST", path, json=body)
    ids = lambda teams: [team["team_id"] for team in teams]
    today = datetime.now(timezone.utc).date()
    post("/team/new", {"team_id": "moved", "soft_budget": None})
    made = client.keys.generate(team_id="moved", user_id="ada", key_alias="laptop", duration="30d")
    assert client.keys.list(user_id="ada", return_full_object=True)["keys"][0]["token"] == made["token"]
    assert client.keys.update(made["token"], key_alias="tower")["key_alias"] == "tower"
    renewed = post("/key/regenerate", {"key": made["key"], "grace_period": "24h"})
    reply = Client(base_url=h.GATEWAY, api_key=made["key"]).chat.completions(model=h.CHAT, messages=ask)
    assert UsersManagementClient(h.ADMIN, h.ADMIN_KEY).get_user("ada")["keys"][0]["token"] == renewed["token"]
    assert ids(client.teams.list(user_id="ada")) == ["moved"]
    assert ids(client.teams.list_v2(team_id="moved", sort_by="team_alias")["teams"]) == ["moved"]
    [call] = h.chat_call(h.CHAT, reply["usage"])
    range = f"start_date={today}&end_date={today + timedelta(days=1)}"
    days = client.http.request("GET", f"/spend/logs?user_id=ada&{range}")
    assert client.keys.delete(key_aliases=["tower"])["deleted_keys"] == [made["token"]]
    assert post("/team/delete", {"team_ids": ["moved"]})["deleted_teams"] == ["moved"]
    assert "moved" not in ids(client.teams.list())
    return [{**call, "cost": sum(day["spend"] for day in days)}]


@suite.check("structured output")
def _():
    class City(BaseModel):
        name: str
        people: int

    reply = litellm.completion(model=named(h.CHAT), messages=ask, response_format=City, **place)
    City.model_validate_json(reply.choices[0].message.content)
    return h.chat_call(h.CHAT, reply.usage)


@suite.check("images, made by the token")
def _():
    reply = litellm.image_generation(model=named(h.DRAWING), prompt="A lighthouse", **place)
    assert h.is_png(base64.b64decode(reply.data[0].b64_json))
    return h.call(h.DRAWING, input=reply.usage.input_tokens, output_image=reply.usage.output_tokens)


@suite.check("images with a price each")
def _():
    reply = litellm.image_generation(model=named(h.IMAGE), prompt="A lighthouse", n=2, **place)
    assert len(reply.data) == 2
    return h.call(h.IMAGE, image=2)


@suite.check("images, changed")
def _():
    with open(h.IMAGE_FILE, "rb") as image:
        reply = litellm.image_edit(model=named(h.DRAWING), prompt="Make it night", image=[image], **place)
    assert h.is_png(base64.b64decode(reply.data[0].b64_json))
    return h.call(h.DRAWING, input=reply.usage.input_tokens, output_image=reply.usage.output_tokens)


@suite.check("speech")
def _():
    reply = litellm.speech(model=named(h.SPEECH), voice="Kore", input="Good morning, everyone.", **place)
    assert h.is_mp3(reply.content)
    return h.calls(1, h.SPEECH)


@suite.check("transcription")
def _():
    with open(h.AUDIO_FILE, "rb") as audio:
        reply = litellm.transcription(model=named(h.TRANSCRIPTION), file=audio, **place)
    assert reply.text
    usage = reply.usage
    assert usage.input_token_details.audio_tokens == 32, usage
    return h.call(h.TRANSCRIPTION, input_audio=32, output=usage.output_tokens)


@suite.check("embeddings, of texts and of tokens")
def _():
    texts = litellm.embedding(model=named(h.EMBEDDING), input=["Hello world", "Hello"], **place)
    tokens = litellm.embedding(model=named(h.EMBEDDING), input=[[9906, 1917], [9906]], **place)
    assert [item["embedding"] for item in texts.data] == [item["embedding"] for item in tokens.data]
    return 2 * h.call(h.EMBEDDING, input=texts.usage.prompt_tokens)


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
    return h.call(h.VIDEO, second_720p=4)


suite.end()
