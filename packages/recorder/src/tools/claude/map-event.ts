// From a payload of Claude Code to the members of an entry.
import { basename, dirname, extname, join } from 'node:path'
import type { Notes } from '../../spool/notes.ts'
import { endFields, promptFields, toolCallFields } from '../event-fields.ts'
import { asInput, asText, textOf } from '../payload.ts'
import type { MappedEvent, Payload, Surroundings } from '../tool.ts'
import { findLastAnswer, findLastModel } from './read-transcript.ts'

export function mapClaudeEvent(
  event: string,
  payload: Payload,
  surroundings: Surroundings,
  notes: Notes,
): MappedEvent {
  const sessionId = textOf(payload, 'session_id') ?? ''
  const transcript = findTranscript(event, payload)
  const lines = transcript === null ? [] : surroundings.transcripts.readTail(transcript)
  const isSubagent = transcript !== textOf(payload, 'transcript_path')
  const noteKey = `claude-model-${sessionId}`
  const at = surroundings.now.getTime()
  const told = event === 'SessionStart' ? textOf(payload, 'model') : null
  if (told !== null) notes.write(noteKey, { model: told, at })
  const remembered = isSubagent || sessionId === '' ? null : notes.read(noteKey)
  const model = told ?? newestModel(remembered, findLastModel(lines))
  const mapped = { ts: surroundings.now, sessionId }
  switch (event) {
    case 'UserPromptSubmit': {
      const fields = promptFields(model, textOf(payload, 'prompt'))
      // The first prompt of a session comes before any answer that names the model.
      return model === null && transcript !== null
        ? { ...mapped, fields, completeFrom: transcript }
        : { ...mapped, fields }
    }
    case 'PostToolUse':
    case 'PostToolUseFailure': {
      const call = {
        name: textOf(payload, 'tool_name'),
        input: asInput(payload.tool_input),
        response: asText(payload.tool_response),
        error: textOf(payload, 'error'),
      }
      return { ...mapped, fields: toolCallFields(model, call) }
    }
    case 'Stop':
    case 'SubagentStop': {
      const answer = findLastAnswer(lines, textOf(payload, 'last_assistant_message'))
      return { ...mapped, fields: endFields(model, answer.text, answer.stopReason) }
    }
    default:
      // A session's start stands among the ends in the specification and has no answer.
      return { ...mapped, fields: endFields(model, null, null) }
  }
}

/** A subagent has a transcript of its own, and perhaps a model of its own. */
function findTranscript(event: string, payload: Payload): string | null {
  const main = textOf(payload, 'transcript_path')
  if (event === 'SubagentStop') return textOf(payload, 'agent_transcript_path') ?? main
  const agent = textOf(payload, 'agent_id')
  if (agent === null || main === null || !/^[\w-]+$/.test(agent)) return main
  return join(dirname(main), basename(main, extname(main)), 'subagents', `agent-${agent}.jsonl`)
}

/** A model can be changed within a session, so what was said last counts. */
function newestModel(
  remembered: Record<string, unknown> | null,
  written: { model: string; at: number } | null,
): string | null {
  const { model, at } = remembered ?? {}
  if (typeof model !== 'string' || typeof at !== 'number') return written?.model ?? null
  return written !== null && written.at > at ? written.model : model
}
