"""The three OpenAPI documents: valid under 3.1, and true of the running server.

Schemathesis sends each operation valid and invalid requests, the same ones in every run. Each reply must have a documented status, media
type, headers and body, and none may be a server error.
"""

import os
import sys
from importlib.metadata import version

import requests
import schemathesis
from hypothesis.errors import Unsatisfiable
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from openapi_spec_validator import OpenAPIV31SpecValidator
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from schemathesis.checks import not_a_server_error

TEAM = "openapi"
KEY = os.environ["CLIENTS_KEY"]
ADMIN = os.environ["CLIENTS_ADMIN_URL"]
AS_ADMIN = {"Authorization": f"Bearer {os.environ['CLIENTS_ADMIN_KEY']}"}


def manage(path: str, body: dict) -> dict:
    reply = requests.post(f"{ADMIN}{path}", json={"team_id": TEAM, **body}, headers=AS_ADMIN, timeout=10)
    reply.raise_for_status()
    return reply.json()


# So that its requests meet their routes and not its limits.
manage("/team/update", {"rpm_limit": 1_000_000, "tpm_limit": 1_000_000_000})
TOKEN = manage("/log_token/generate", {})["token"]

# The admin door comes last, because its operations block and delete.
DOORS = {
    "logbook": (os.environ["CLIENTS_LOGBOOK_URL"], {"Authorization": f"Bearer {TOKEN}"}),
    "gateway": (os.environ["CLIENTS_GATEWAY_URL"], {"Authorization": f"Bearer {KEY}", "x-vendor-api-key": KEY}),
    "admin": (ADMIN, AS_ADMIN),
}
EXAMPLES = 1
"""Requests per operation and mode."""
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
ENDLESS = {
    "/self/stream": "an event stream without an end",
    "/wall/{token}/stream": "an event stream without an end",
    "/stream": "an event stream without an end",
}

failed = 0


def report(what: str, error: BaseException | None, name: str) -> None:
    global failed
    if error is None:
        print(f"ok      {name}: {what}", flush=True)
    else:
        failed += 1
        print(f"FAILED  {name}: {what}: {type(error).__name__}: {str(error)[:3000]}", flush=True)


def is_valid(document: dict) -> BaseException | None:
    return next(iter(OpenAPIV31SpecValidator(document).iter_errors()), None)


def is_true(operation, headers: dict[str, str], mode: GenerationMode) -> None:
    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def send(case) -> None:
        case.call_and_validate(headers=headers, checks=CHECKS, timeout=20)

    try:
        send()
    except Unsatisfiable:
        # A path of plain texts has no invalid request.
        assert mode == GenerationMode.NEGATIVE, "no valid request can be made"


for door, (url, headers) in DOORS.items():
    schema = schemathesis.openapi.from_url(f"{url}/openapi.json")
    report(f"the {door}'s document is valid", is_valid(schema.raw_schema), f"openapi-spec-validator {version('openapi-spec-validator')}")
    count, error = 0, None
    for result in schema.get_all_operations():
        operation = result.ok()
        # An alias leads to the same handler.
        if operation.path in ENDLESS or "x-alias-of" in operation.definition.raw:
            continue
        count += 1
        try:
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
                is_true(operation, headers, mode)
        except BaseException as failure:
            error = failure
            report(f"{operation.method.upper()} {operation.path}", failure, f"schemathesis {version('schemathesis')}")
    if error is None:
        report(f"{count} operations of the {door} answer as documented", None, f"schemathesis {version('schemathesis')}")

sys.exit(1 if failed else 0)
