// Reads the events file of a Copilot session: the model at a moment, and the final answer of a turn. The main agent and its
// subagents write to the same file, and each is read separately.
import { asMoment, objectOf, textOf } from '../payload.ts'
import type { TranscriptLine } from '../tool.ts'

const timeOf = (line: TranscriptLine) => asMoment(line.timestamp, new Date(0)).getTime()

/** The session id of a subagent; null for the main agent. */
export type CopilotAgent = string | null

/** Whose session it is, by the lines that the agent wrote to the file. */
export function findAgent(lines: readonly TranscriptLine[], sessionId: string): CopilotAgent {
  if (lines.some(line => line.agentId === sessionId)) return sessionId
  const begun = lines.find(line => line.type === 'session.start')
  const main = begun === undefined ? null : textOf(objectOf(begun, 'data'), 'sessionId')
  return main === null || main === sessionId ? null : sessionId
}

function isOf(agent: CopilotAgent, line: TranscriptLine): boolean {
  if (agent !== null) return line.agentId === agent
  return textOf(line, 'agentId') === null && textOf(objectOf(line, 'data'), 'parentToolCallId') === null
}

function modelOf(line: TranscriptLine, agent: CopilotAgent): string | null {
  const data = objectOf(line, 'data')
  if (!isOf(agent, line)) return null
  if (line.type === 'assistant.message') return textOf(data, 'model')
  if (line.type === 'session.model_change') return textOf(data, 'newModel')
  return line.type === 'session.start' ? textOf(data, 'selectedModel') : null
}

/** The model in use at a moment (Unix ms). */
export function findModel(lines: readonly TranscriptLine[], at: number, agent: CopilotAgent): string | null {
  return (
    lines
      .filter(line => timeOf(line) <= at)
      .map(line => modelOf(line, agent))
      .findLast(Boolean) ?? null
  )
}

/** The model that answered first after a moment. */
export function findModelAfter(
  lines: readonly TranscriptLine[],
  at: number,
  agent: CopilotAgent,
): string | null {
  return (
    lines
      .filter(line => timeOf(line) > at)
      .map(line => modelOf(line, agent))
      .find(Boolean) ?? null
  )
}

export function namesModel(line: TranscriptLine, agent: CopilotAgent): boolean {
  return modelOf(line, agent) !== null
}

export function isPrompt(line: TranscriptLine, agent: CopilotAgent): boolean {
  return line.type === 'user.message' && isOf(agent, line)
}

/**
 * The final answer of the turn that ended at `endedAt` (Unix ms): the agent's last text after which it called no tool.
 * null while the text is not on disk, which can happen after the hook.
 */
export function findAnswer(
  lines: readonly TranscriptLine[],
  endedAt: number,
  agent: CopilotAgent,
): string | null {
  const own = lines.filter(line => isOf(agent, line))
  const start = own.findLastIndex(line => line.type === 'user.message' && timeOf(line) <= endedAt)
  // Not every version writes the task of a subagent to the file.
  if (start < 0 && agent === null) return null
  const length = own.slice(start + 1).findIndex(line => line.type === 'user.message')
  const turn = own.slice(start + 1, length < 0 ? undefined : start + 1 + length)
  const last = turn.findLast(
    line =>
      line.type === 'assistant.message' &&
      (textOf(objectOf(line, 'data'), 'content') !== null || callsTools(line)),
  )
  return last === undefined || callsTools(last) ? null : textOf(objectOf(last, 'data'), 'content')
}

function callsTools(line: TranscriptLine): boolean {
  const requests = objectOf(line, 'data').toolRequests
  return Array.isArray(requests) && requests.length > 0
}
