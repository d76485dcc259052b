"""Shared by the programs of the Python clients: named checks that run one by one, each call compared with its row in the ledger."""

import json
import os
import sys
import traceback
import urllib.error
import urllib.request
from importlib.metadata import version

GATEWAY = os.environ["CLIENTS_GATEWAY_URL"]
KEY = os.environ["CLIENTS_KEY"]
ADMIN = os.environ["CLIENTS_ADMIN_URL"]
ADMIN_KEY = os.environ["CLIENTS_ADMIN_KEY"]
BOOKS = os.environ["CLIENTS_BOOKS_URL"]
SANDBOX = os.environ["CLIENTS_SANDBOX_URL"]
SANDBOX_KEY = os.environ["CLIENTS_SANDBOX_KEY"]
"""A key of the vendor that the sandbox plays."""
IMAGE_FILE = os.environ["CLIENTS_IMAGE"]
"""The path of a PNG of one pixel."""
AUDIO_FILE = os.environ["CLIENTS_AUDIO"]
"""The path of a WAV of one second of silence."""

CHAT = "mm-2.5-flash"
DRAWING = "imgalias-2"
IMAGE = "imggen-4"
SPEECH = "mm-2.5-flash-preview-tts"
MUSIC = "music-3-clip-preview"
TRANSCRIPTION = "mm-3.5-transcribe-preview"
EMBEDDING = "mm-embedding-001"
VIDEO = "video-3.1-lite-generate-001"
VENDOR_VIDEO = "video-3.0-fast-generate-001"

def call(model: str, **units: int) -> list[dict]:
    """One call with the units that its client shows, by their names in config/models.yaml."""
    return [{"model": model, "units": units}]


def calls(count: int, model: str = CHAT) -> list[dict]:
    """Calls of which the client shows no usage, or not all of it."""
    return [{"model": model}] * count


def chat_call(model: str, usage) -> list[dict]:
    """One call with the usage of a chat completion, given as an object or a dict."""
    usage = usage if isinstance(usage, dict) else usage.model_dump()
    given, made = usage["prompt_tokens_details"], usage["completion_tokens_details"]
    count = lambda details, name: details.get(name) or 0
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"], usage
    return call(
        model,
        input=usage["prompt_tokens"] - count(given, "cached_tokens") - count(given, "audio_tokens"),
        cached_input=count(given, "cached_tokens"),
        input_audio=count(given, "audio_tokens"),
        output=usage["completion_tokens"] - count(made, "image_tokens"),
        output_image=count(made, "image_tokens"),
    )


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
    The checks of one client. A check returns the calls that it made (`call`, `calls`, `chat_call`). `turn`, `tools`, `stream`
    and `structured output` are columns of docs/clients.md, so each client has them, or says that it has none.
    """

    def __init__(self, package: str):
        self._name = f"{package} {version(package)}"
        self._failed = 0

    def check(self, what: str):
        def run(function):
            _post("/begin")
            try:
                charge = _post("/end", {"calls": function()})
                print(f"ok      {self._name}: {what} ({charge})", flush=True)
            except Exception as error:
                self._fail(what, error)

        return run

    def check_free(self, what: str):
        """For checks on the sandbox itself, where no key of a team is charged."""

        def run(function):
            _ask_sandbox("reset", method="POST")
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


def billed(upstream_model: str) -> dict:
    """What the sandbox has billed for a model since the check began."""
    return json.loads(_ask_sandbox("counters"))["billed"][upstream_model]


def _ask_sandbox(what: str, method: str = "GET") -> bytes:
    with urllib.request.urlopen(urllib.request.Request(f"{SANDBOX}/sandbox/{what}", method=method), timeout=10) as response:
        return response.read()


def _post(path: str, body: dict | None = None) -> str:
    """Raises an AssertionError with what differs between the calls, the ledger and the sandbox."""
    request = urllib.request.Request(f"{BOOKS}{path}", json.dumps(body).encode(), {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.read().decode()
    except urllib.error.HTTPError as error:
        raise AssertionError(error.read().decode()) from None
