// GitHub Copilot CLI: its events, where its hooks are configured, and how its payloads become entries.
import { basename, dirname, join } from 'node:path'
import { asInput, asMoment, asText, listOf, objectOf, parseObject, textOf } from '../../json/members.ts'
import { endFields, keepOpenCalls, readOpenCalls, toolCallFields } from '../event-fields.ts'
import {
  callKey,
  type EventFields,
  type FoundEvent,
  type MappedEvent,
  type Payload,
  type Surroundings,
  type Tool,
  type TranscriptLine,
  type UnreportedEvents,
} from '../tool.ts'

/** The output of tools is in lines of other types. */
const marks = ['"session.', '"user.', '"assistant.', '"subagent']

/** Finds the tool calls in a transcript of Copilot that the user stopped. It runs no hook for them. */
const copilotAborts: UnreportedEvents = {
  marks: ['"tool.execution_', '"abort"'],
  find: (lines, session, state) => {
    const { sessionId } = session
    const open = readOpenCalls(state)
    // The first hook can come before the record of the session's start, which names it.
    let model = textOf(state, 'model') ?? session.model
    const events: FoundEvent[] = []
    for (const line of lines) {
      const data = objectOf(line, 'data')
      const id = textOf(data, 'toolCallId')
      model = textOf(data, 'model') ?? model
      if (id !== null && line.type === 'tool.execution_start')
        open.set(id, { name: textOf(data, 'toolName'), input: asInput(data.arguments) })
      if (id !== null && line.type === 'tool.execution_complete') open.delete(id)
      if (line.type !== 'abort') continue
      for (const [callId, call] of open)
        events.push({
          key: callKey('copilot', sessionId, callId),
          ts: asMoment(line.timestamp, new Date(0)),
          tool: 'copilot',
          event: 'postToolUseFailure',
          fields: toolCallFields(model, { ...call, error: textOf(data, 'reason') }),
          folder: null,
        })
      open.clear()
    }
    return { events, state: { model, open: keepOpenCalls(open) } }
  },
}

export const copilot: Tool = {
  name: 'copilot',
  events: ['userPromptSubmitted', 'postToolUse', 'postToolUseFailure', 'agentStop', 'sessionEnd'],
  hookFiles: (root, home) => [
    join(root, '.github', 'hooks', 'fairgate-recorder.json'),
    join(home, '.copilot', 'hooks', 'fairgate-recorder.json'),
  ],
  projectVariable: 'COPILOT_PROJECT_DIR',
  findFolders: (payload, { workingFolder }) => [textOf(payload, 'cwd') ?? workingFolder, workingFolder],
  mapEvent,
  unreported: copilotAborts,
  late: {
    marks,
    digest: line => line,
    complete: ({ event, ts, sessionId }, lines) => {
      const agent = findAgent(lines, sessionId)
      // The first prompt of a session can come before the record of its start.
      const later = event === 'userPromptSubmitted' ? findModelAfter(lines, ts, agent) : null
      return {
        model: findModel(lines, ts, agent) ?? later,
        ...(event === 'agentStop' ? { response_summary: findAnswer(lines, ts, agent) } : {}),
      }
    },
  },
}

function mapEvent(event: string, payload: Payload, surroundings: Surroundings): MappedEvent {
  const ts = asMoment(payload.timestamp, surroundings.now)
  const sessionId = textOf(payload, 'sessionId', 'session_id') ?? ''
  const transcript = findTranscript(payload, sessionId, surroundings)
  const agent = isSubagent(payload, sessionId, transcript) ? sessionId : null
  const isEnough = (line: TranscriptLine) =>
    event === 'agentStop' ? isPrompt(line, agent) : namesModel(line, agent)
  const { lines } =
    transcript === null ? { lines: [] } : surroundings.transcripts.readBack(transcript, marks, isEnough)
  const model = findModel(lines, ts.getTime(), agent)
  const answer = event === 'agentStop' ? findAnswer(lines, ts.getTime(), agent) : null
  const mapped = { ts, sessionId, fields: mapFields(event, payload, model, answer) }
  if (transcript === null) return mapped
  const isIncomplete = model === null || (event === 'agentStop' && answer === null)
  const begin = () => ({ from: surroundings.transcripts.sizeOf(transcript), notedAt: ts.getTime() })
  const isTurnEnd = event === 'agentStop' || event === 'sessionEnd'
  return {
    ...mapped,
    ...(isIncomplete ? { completeFrom: transcript } : {}),
    // The file has the session id of the main agent.
    ...(agent === null ? { session: { transcript, model, isTurnEnd, begin } } : {}),
  }
}

function findTranscript(
  payload: Payload,
  sessionId: string,
  { home, environment }: Surroundings,
): string | null {
  const reported = textOf(payload, 'transcriptPath', 'transcript_path')
  // A subagent has its own session id and writes to the file of the agent that called it.
  const session = textOf(payload, 'parentAgentId') ?? sessionId
  if (reported !== null || !/^[\w-]+$/.test(session)) return reported
  return join(environment.COPILOT_HOME ?? join(home, '.copilot'), 'session-state', session, 'events.jsonl')
}

/** Not every version says so in the payload. In that case the transcript is in the folder of another session. */
function isSubagent(payload: Payload, sessionId: string, transcript: string | null): boolean {
  if (textOf(payload, 'agentId') !== null) return true
  if (transcript === null || basename(transcript) !== 'events.jsonl') return false
  const folder = dirname(transcript)
  return basename(dirname(folder)) === 'session-state' && basename(folder) !== sessionId
}

function mapFields(
  event: string,
  payload: Payload,
  model: string | null,
  answer: string | null,
): EventFields {
  switch (event) {
    case 'userPromptSubmitted':
      return { model, prompt: textOf(payload, 'prompt') }
    case 'postToolUse':
    case 'postToolUseFailure': {
      const result = objectOf(payload, 'toolResult', 'tool_result')
      const text = asText(result.textResultForLlm ?? result.text_result_for_llm)
      const outcome = textOf(result, 'resultType', 'result_type')
      // Older versions sent failures as results.
      const hasFailed = outcome === 'failure' || outcome === 'denied'
      return toolCallFields(model, {
        name: textOf(payload, 'toolName', 'tool_name'),
        input: parseArguments(payload.toolArgs ?? payload.tool_input),
        response: text,
        error: textOf(payload, 'error') ?? (hasFailed ? text : null),
      })
    }
    case 'agentStop':
      return endFields(model, answer, textOf(payload, 'stopReason', 'stop_reason'))
    default:
      return endFields(model, null, textOf(payload, 'reason'))
  }
}

/** Older versions sent the arguments as JSON text. */
function parseArguments(value: unknown): string | object | null {
  return typeof value === 'string' ? (parseObject(value) ?? value) : asInput(value)
}

// Reads the events file of a Copilot session: the model at a moment, and the final answer of a turn. The main agent and its subagents write to the same file, and each is read separately.

const timeOf = (line: TranscriptLine) => asMoment(line.timestamp, new Date(0)).getTime()

/** The session id of a subagent; null for the main agent. */
type CopilotAgent = string | null

/** The owner of a session, by the lines that the agent wrote to the file. */
function findAgent(lines: readonly TranscriptLine[], sessionId: string): CopilotAgent {
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
function findModel(lines: readonly TranscriptLine[], at: number, agent: CopilotAgent): string | null {
  return (
    lines
      .filter(line => timeOf(line) <= at)
      .map(line => modelOf(line, agent))
      .findLast(Boolean) ?? null
  )
}

/** The model that answered first after a moment. */
function findModelAfter(lines: readonly TranscriptLine[], at: number, agent: CopilotAgent): string | null {
  return (
    lines
      .filter(line => timeOf(line) > at)
      .map(line => modelOf(line, agent))
      .find(Boolean) ?? null
  )
}

function namesModel(line: TranscriptLine, agent: CopilotAgent): boolean {
  return modelOf(line, agent) !== null
}

function isPrompt(line: TranscriptLine, agent: CopilotAgent): boolean {
  return line.type === 'user.message' && isOf(agent, line)
}

/**
 * The final answer of the turn that ended at `endedAt` (Unix ms): the agent's last text after which it called no tool.
 * null while the text is not on disk, which can happen after the hook.
 */
function findAnswer(lines: readonly TranscriptLine[], endedAt: number, agent: CopilotAgent): string | null {
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
  return listOf(line.data, 'toolRequests').length > 0
}
