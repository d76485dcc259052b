"""Shared by the programs of the Python clients: named checks that run one by one, each compared with its exact charge."""

import json
import math
import os
import sys
import time
import traceback
import urllib.request
from decimal import Decimal
from importlib.metadata import version

GATEWAY = os.environ["CLIENTS_GATEWAY_URL"]
KEY = os.environ["CLIENTS_KEY"]
ADMIN = os.environ["CLIENTS_ADMIN_URL"]
ADMIN_KEY = os.environ["CLIENTS_ADMIN_KEY"]
SANDBOX = os.environ["CLIENTS_SANDBOX_URL"]
SANDBOX_KEY = os.environ["CLIENTS_SANDBOX_KEY"]
"""A key of the vendor that the sandbox plays."""
IMAGE_FILE = os.environ["CLIENTS_IMAGE"]
"""The path of a PNG of one pixel."""
AUDIO_FILE = os.environ["CLIENTS_AUDIO"]
"""The path of a WAV of one second of silence."""
PRICES = json.loads(os.environ["CLIENTS_PRICES"], parse_float=Decimal)
"""Prices by model and alias, as in config/models.yaml: US dollars per million tokens, or per item."""

CHAT = "mm-2.5-flash"
DRAWING = "imgalias-2"
IMAGE = "imggen-4"
SPEECH = "mm-2.5-flash-preview-tts"
MUSIC = "music-3-clip-preview"
TRANSCRIPTION = "mm-3.5-transcribe-preview"
EMBEDDING = "mm-embedding-001"
VIDEO = "video-3.1-lite-generate-001"
VENDOR_VIDEO = "video-3.0-fast-generate-001"

_PER_ITEM = {"image", "song", "second_720p", "request"}
_INSTEAD = {"input_audio": "input", "input_image": "input", "reasoning": "output"}


def cost(model: str, **units: int) -> int:
    """The cost of one call in nano-dollars. Units have the catalog's names, and the sum is rounded up once."""
    prices = PRICES[model]
    dollars = Decimal(0)
    for unit, count in units.items():
        price = Decimal(prices[unit] if unit in prices else prices[_INSTEAD[unit]])
        dollars += price * count / (1 if unit in _PER_ITEM else 1_000_000)
    return math.ceil(dollars * 1_000_000_000)


def cost_of_chat(model: str, usage) -> int:
    """The cost by the usage of a chat completion, given as an object or a dict."""
    usage = usage if isinstance(usage, dict) else usage.model_dump()
    given, made = usage["prompt_tokens_details"], usage["completion_tokens_details"]
    count = lambda details, name: details.get(name) or 0
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"], usage
    return cost(
        model,
        input=usage["prompt_tokens"] - count(given, "cached_tokens") - count(given, "audio_tokens"),
        input_audio=count(given, "audio_tokens"),
        output=usage["completion_tokens"] - count(made, "image_tokens"),
        **({"output_image": count(made, "image_tokens")} if count(made, "image_tokens") else {}),
    )


def cost_of_turns(count: int) -> int:
    """The cost of the chat calls since the check began, by what the sandbox has billed; there must have been `count` of them."""
    sold = billed("gemini-2.5-flash")
    assert sold["calls"] == count, f"{sold['calls']} calls, expected {count}"
    return cost(
        CHAT,
        input=sold["promptTokens"] - sold["cachedTokens"],
        cached_input=sold["cachedTokens"],
        output=sold["candidatesTokens"],
        reasoning=sold["thoughtsTokens"],
    )


def billed(upstream_model: str) -> dict:
    """What the sandbox has billed for a model since the check began, for calls whose reply has no usage."""
    return _get(f"{SANDBOX}/sandbox/counters")["billed"][upstream_model]


def cost_of_speech() -> int:
    sold = billed("gemini-2.5-flash-preview-tts")
    return cost(SPEECH, input=sold["promptTokens"], output_audio=sold["outputAudioTokens"])


def spend() -> int:
    """The key's spend in nano-dollars."""
    return round(_get(f"{GATEWAY}/key/info", KEY)["info"]["spend"] * 1_000_000_000)


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def is_png(data: bytes) -> bool:
    return data[:4] == b"\x89PNG"


def is_mp3(data: bytes) -> bool:
    return data[0] == 0xFF and data[1] & 0xE0 == 0xE0


def is_mp4(data: bytes) -> bool:
    return data[4:8] == b"ftyp"


class Suite:
    """
    The checks of one client. A check returns the charge that it expects, in nano-dollars. `turn`, `tools`, `stream` and
    `structured output` are columns of docs/clients.md, so each client has them, or says that it has none.
    """

    def __init__(self, package: str):
        self._name = f"{package} {version(package)}"
        self._failed = 0

    def check(self, what: str):
        def run(function):
            _post(f"{SANDBOX}/sandbox/reset")
            before = spend()
            try:
                expected = function()
                charged = _settled(before, expected)
                assert charged == expected, f"charged {charged} nano-dollars, expected {expected}"
                assert charged > 0, "nothing was charged"
                print(f"ok      {self._name}: {what} ({Decimal(charged) / 10**9:f} USD)", flush=True)
            except Exception as error:
                self._fail(what, error)

        return run

    def check_free(self, what: str):
        """For checks on the sandbox itself, where no key of a team is charged."""

        def run(function):
            _post(f"{SANDBOX}/sandbox/reset")
            try:
                function()
                print(f"ok      {self._name}: {what}", flush=True)
            except Exception as error:
                self._fail(what, error)

        return run

    def _fail(self, what: str, error: Exception) -> None:
        self._failed += 1
        print(f"FAILED  {self._name}: {what}: {type(error).__name__}: {str(error)[:2000]}", flush=True)
        traceback.print_exc(file=sys.stdout)

    def has_none(self, *what: str) -> None:
        print(f"--      {self._name}: the client has none of: {', '.join(what)}", flush=True)

    def note(self, text: str) -> None:
        """For the table in docs/clients.md: what a reader must know to use this client."""
        print(f"note    {self._name}: {text}", flush=True)

    def end(self) -> None:
        # Some clients leave threads behind that would keep the process alive.
        sys.stdout.flush()
        os._exit(1 if self._failed else 0)


def _settled(before: int, expected: int) -> int:
    """The spend may follow a moment after the client's last byte."""
    for _ in range(40):
        charged = spend() - before
        if charged >= expected:
            return charged
        time.sleep(0.05)
    return charged


def _get(url: str, key: str = "") -> dict:
    request = urllib.request.Request(url, headers={"authorization": f"Bearer {key}"})
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)


def _post(url: str) -> None:
    with urllib.request.urlopen(urllib.request.Request(url, method="POST"), timeout=10):
        pass
