// What the events file of a Copilot session tells: the model at a moment, and the final answer of a turn.
import { asMoment, objectOf, textOf } from '../payload.ts'
import type { TranscriptLine } from '../tool.ts'

const timeOf = (line: TranscriptLine) => asMoment(line.timestamp, new Date(0)).getTime()

function modelOf(line: TranscriptLine): string | null {
  const data = objectOf(line, 'data')
  if (isOfSubagent(line)) return null
  if (line.type === 'assistant.message') return textOf(data, 'model')
  if (line.type === 'session.model_change') return textOf(data, 'newModel')
  return line.type === 'session.start' ? textOf(data, 'selectedModel') : null
}

function isOfSubagent(line: TranscriptLine): boolean {
  return textOf(line, 'agentId') !== null || textOf(objectOf(line, 'data'), 'parentToolCallId') !== null
}

/** The model in use at a moment (Unix ms). */
export function findModel(lines: readonly TranscriptLine[], at: number): string | null {
  return (
    lines
      .filter(line => timeOf(line) <= at)
      .map(modelOf)
      .findLast(Boolean) ?? null
  )
}

/** The model that answered first after a moment. */
export function findModelAfter(lines: readonly TranscriptLine[], at: number): string | null {
  return (
    lines
      .filter(line => timeOf(line) > at)
      .map(modelOf)
      .find(Boolean) ?? null
  )
}

export function namesModel(line: TranscriptLine): boolean {
  return modelOf(line) !== null
}

export function isPrompt(line: TranscriptLine): boolean {
  return line.type === 'user.message'
}

/**
 * The final answer of the turn that ended at `endedAt` (Unix ms): the last words of the main agent after which it called no tool.
 * null while they are not on the disk, which can be later than the hook.
 */
export function findAnswer(lines: readonly TranscriptLine[], endedAt: number): string | null {
  const start = lines.findLastIndex(line => line.type === 'user.message' && timeOf(line) <= endedAt)
  if (start < 0) return null
  const length = lines.slice(start + 1).findIndex(line => line.type === 'user.message')
  const turn = lines.slice(start + 1, length < 0 ? undefined : start + 1 + length)
  const last = turn.findLast(line => {
    const isWords = line.type === 'assistant.message' && !isOfSubagent(line)
    return isWords && (textOf(objectOf(line, 'data'), 'content') !== null || callsTools(line))
  })
  return last === undefined || callsTools(last) ? null : textOf(objectOf(last, 'data'), 'content')
}

function callsTools(line: TranscriptLine): boolean {
  const requests = objectOf(line, 'data').toolRequests
  return Array.isArray(requests) && requests.length > 0
}
