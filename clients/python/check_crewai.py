"""CrewAI with its client for OpenAI and no settings but address and key."""

import os

os.environ |= {"CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true", "CREWAI_TRACING_ENABLED": "false"}

import harness as h
from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool
from pydantic import BaseModel

suite = h.Suite("crewai")
place = {"model": f"openai/{h.CHAT}", "base_url": f"{h.GATEWAY}/v1", "api_key": h.KEY}


class City(BaseModel):
    name: str
    people: int


@suite.check("turn")
def _():
    assert "What is a gateway?" in LLM(**place).call("What is a gateway?")
    return h.calls(1)


@suite.check("tools")
def _():
    @tool
    def get_weather(city: str) -> str:
        """The weather of a city."""
        return "clear sky"

    guide = Agent(role="Guide", goal="Answer", backstory="A guide", llm=LLM(**place), tools=[get_weather])
    task = Task(description="How is the weather?", expected_output="One sentence", agent=guide)
    assert "clear sky" in Crew(agents=[guide], tasks=[task]).kickoff().raw
    return h.calls(2)


@suite.check("stream")
def _():
    assert "What is a gateway?" in LLM(stream=True, **place).call("What is a gateway?")
    return h.calls(1)


@suite.check("structured output")
def _():
    reply = LLM(response_format=City, **place).call("Name a city.")
    City.model_validate_json(reply) if isinstance(reply, str) else City.model_validate(reply)
    return h.calls(1)


suite.end()
