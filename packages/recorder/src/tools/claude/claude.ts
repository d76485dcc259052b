// Claude Code: its events, where its hooks are configured, and how its payloads become entries.
import { basename, dirname, extname, join } from 'node:path'
import { asInput, asMoment, asText, isObject, listOf, textOf } from '../../json/members.ts'
import type { Files } from '../../spool/files.ts'
import type { Notes } from '../../spool/notes.ts'
import { isInside } from '../cursor/cursor.ts'
import { endFields, keepOpenCalls, readOpenCalls, toolCallFields } from '../event-fields.ts'
import { readSessionNote, type SessionNote } from '../session-notes.ts'
import {
  callKey,
  type EventFields,
  type FoundEvent,
  type KeptSession,
  type KeptSessionSources,
  type MappedEvent,
  type Payload,
  type Surroundings,
  type Tool,
  type TranscriptLine,
  type UnreportedEvents,
} from '../tool.ts'
import {
  answerMarks,
  digestAnswer,
  findLastModel,
  findLastStopReason,
  findLastText,
  findModelAfter,
  findStopReason,
  modelOf,
  namesModel,
} from './read-transcript.ts'

/**
 * Failed tool calls in a transcript. Claude Code runs no hook for a call that it refuses before it starts (invalid input, unknown tool,
 * denied by the user) or that the user stops.
 */
const claudeFailures: UnreportedEvents = {
  marks: ['"tool_use"', '"tool_result"'],
  find: (lines, session, state) => {
    const open = readOpenCalls(state)
    let model = textOf(state, 'model')
    const events: FoundEvent[] = []
    for (const line of lines) {
      model = modelOf(line)?.model ?? model
      for (const block of listBlocks(line)) {
        const id = textOf(block, 'id', 'tool_use_id')
        if (id === null) continue
        if (block.type === 'tool_use')
          open.set(id, { name: textOf(block, 'name'), input: asInput(block.input) })
        if (block.type !== 'tool_result') continue
        const call = open.get(id)
        open.delete(id)
        if (call === undefined || block.is_error !== true) continue
        events.push({
          key: callKey('claude', session.sessionId, id),
          ts: asMoment(line.timestamp, new Date(0)),
          tool: 'claude',
          event: 'PostToolUseFailure',
          fields: toolCallFields(model, { ...call, error: joinContent(block.content) }),
          folder: textOf(line, 'cwd'),
        })
      }
    }
    return { events, state: { model, open: keepOpenCalls(open) } }
  },
}

export const claude: Tool = {
  name: 'claude',
  events: ['UserPromptSubmit', 'PostToolUse', 'PostToolUseFailure', 'Stop', 'SubagentStop', 'SessionStart'],
  hookFiles: (root, home) => [
    join(root, '.claude', 'settings.local.json'),
    join(root, '.claude', 'settings.json'),
    join(home, '.claude', 'settings.json'),
  ],
  projectVariable: 'CLAUDE_PROJECT_DIR',
  findFolders: (payload, { environment, workingFolder }) =>
    [textOf(payload, 'cwd'), environment.CLAUDE_PROJECT_DIR, workingFolder].filter(
      folder => folder !== null && folder !== undefined,
    ),
  mapEvent: mapClaudeEvent,
  userSettings: (home, environment) =>
    join(environment.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'settings.json'),
  findSessionsBelow,
  unreported: claudeFailures,
  late: {
    marks: answerMarks,
    digest: digestAnswer,
    complete: ({ event, ts, summary }, lines) => {
      // Nothing names a model before the first prompt or the start of a session. The answer does.
      const isBegin = event === 'UserPromptSubmit' || event === 'SessionStart'
      const written = findLastModel(lines, ts) ?? (isBegin ? findModelAfter(lines, ts) : null)
      const isEnd = event === 'Stop' || event === 'SubagentStop'
      const reason = isEnd ? { stop_reason: findStopReason(lines, summary, ts) } : {}
      return { model: written?.model ?? null, ...reason }
    },
  },
}

/** Claude Code keeps a folder of transcripts per folder that it was started in. Version 2.1.197 and some later ones use only the hooks of exactly that folder, so sessions in a subfolder of the project are not recorded. */
function findSessionsBelow({
  home,
  environment,
  root,
  files,
  transcripts,
  since,
}: KeptSessionSources): KeptSession[] {
  const projects = join(environment.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'projects')
  // Other folders can have the same name, so the transcript decides.
  const beginning = `${escapeFolder(root)}-`
  return files
    .list(projects)
    .filter(name => name.startsWith(beginning))
    .flatMap(name =>
      files
        .list(join(projects, name))
        .filter(file => file.endsWith('.jsonl'))
        .map(file => join(projects, name, file)),
    )
    .filter(path => (files.modifiedAt(path) ?? 0) >= since)
    .flatMap(path => {
      const [first] = transcripts.readOn(path, 0, ['"cwd"']).lines
      const folder = textOf(first ?? {}, 'cwd')
      if (folder === null || folder === root || !isInside(folder, root)) return []
      return [{ sessionId: basename(path, '.jsonl'), folder }]
    })
}

function escapeFolder(folder: string): string {
  return folder.replace(/[^A-Za-z0-9]/g, '-')
}

/** Turns a payload of Claude Code into the members of an entry. */
function mapClaudeEvent(
  event: string,
  payload: Payload,
  surroundings: Surroundings,
  notes: Notes,
): MappedEvent {
  const sessionId = textOf(payload, 'session_id') ?? ''
  const transcript = findTranscript(event, payload)
  const { lines, isWhole } = readAnswers(transcript, surroundings)
  const isSubagent = transcript !== textOf(payload, 'transcript_path')
  const noteKey = `claude-model-${sessionId}`
  const at = surroundings.now.getTime()
  const reported = event === 'SessionStart' ? textOf(payload, 'model') : null
  if (reported !== null) notes.write(noteKey, { model: reported, at })
  const remembered = isSubagent || sessionId === '' ? null : notes.read(noteKey)
  const written = findLastModel(lines, Number.POSITIVE_INFINITY)
  // The remembered model may be out of date if the transcript is longer than what was read.
  const model = reported ?? (written === null && !isWhole ? null : newestModel(remembered, written))
  const fields = mapFields(event, payload, model, lines)
  const isEnd = event === 'Stop' || event === 'SubagentStop'
  // The first prompt of a session comes before any answer that names the model. The end of a turn often comes before its last lines.
  const isIncomplete = fields.model === null || (isEnd && fields.stop_reason === null)
  const mapped = { ts: surroundings.now, sessionId, fields, ...identifyCall(payload, sessionId) }
  if (transcript === null) return mapped
  // All that a subagent did counts if the session that started it is recorded.
  const parent = isSubagent ? readSessionNote(notes, textOf(payload, 'transcript_path') ?? '') : null
  const begin = () =>
    parent === null
      ? { from: surroundings.transcripts.sizeOf(transcript), notedAt: at }
      : { from: 0, notedAt: parent.notedAt }
  const session = { transcript, model: null, isTurnEnd: isEnd, begin }
  return isIncomplete ? { ...mapped, session, completeFrom: transcript } : { ...mapped, session }
}

function identifyCall(payload: Payload, sessionId: string): Pick<MappedEvent, 'once'> {
  const id = textOf(payload, 'tool_use_id')
  return id === null ? {} : { once: { key: callKey('claude', sessionId, id), otherwise: null } }
}

function readAnswers(transcript: string | null, { transcripts }: Surroundings) {
  if (transcript === null) return { lines: [], isWhole: true }
  return transcripts.readBack(transcript, answerMarks, namesModel)
}

function mapFields(
  event: string,
  payload: Payload,
  model: string | null,
  lines: readonly TranscriptLine[],
): EventFields {
  switch (event) {
    case 'UserPromptSubmit':
      return { model, prompt: textOf(payload, 'prompt') }
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return toolCallFields(model, {
        name: textOf(payload, 'tool_name'),
        input: asInput(payload.tool_input),
        response: asText(payload.tool_response),
        error: textOf(payload, 'error'),
      })
    case 'Stop':
    case 'SubagentStop': {
      const reported = textOf(payload, 'last_assistant_message')
      return endFields(model, reported ?? findLastText(lines), findLastStopReason(lines, reported))
    }
    default:
      // The specification lists the start of a session among the ends. It has no answer.
      return endFields(model, null, null)
  }
}

/** A subagent has its own transcript and perhaps its own model. */
function findTranscript(event: string, payload: Payload): string | null {
  const main = textOf(payload, 'transcript_path')
  const reported = event === 'SubagentStop' ? textOf(payload, 'agent_transcript_path') : null
  if (reported !== null) return reported
  const agent = textOf(payload, 'agent_id')
  if (agent === null || main === null || !/^[\w-]+$/.test(agent)) return main
  return join(dirname(main), basename(main, extname(main)), 'subagents', `agent-${agent}.jsonl`)
}

/** The model can change within a session, so the last one counts. */
function newestModel(
  remembered: Record<string, unknown> | null,
  written: { model: string; at: number } | null,
): string | null {
  const { model, at } = remembered ?? {}
  if (typeof model !== 'string' || typeof at !== 'number') return written?.model ?? null
  return written !== null && written.at > at ? written.model : model
}

/** Finds the transcripts of Claude Code's subagents for which no hook ran: they were stopped with the session that started them. */
export function findHelpers({ list }: Pick<Files, 'list'>, notes: readonly SessionNote[]): SessionNote[] {
  const noted = new Set(notes.map(({ transcript }) => transcript))
  return notes
    .filter(({ tool }) => tool === 'claude')
    .flatMap(note => {
      const { transcript } = note
      const folder = join(dirname(transcript), basename(transcript, extname(transcript)), 'subagents')
      return list(folder)
        .filter(name => name.endsWith('.jsonl'))
        .map(name => ({ ...note, transcript: join(folder, name), from: 0 }))
    })
    .filter(({ transcript }) => !noted.has(transcript))
}

/** Other lines repeat messages, as those of its requests do. */
function listBlocks(line: Payload): Payload[] {
  if (line.type !== 'assistant' && line.type !== 'user') return []
  return listOf(line.message, 'content').filter(isObject)
}

function joinContent(content: unknown): string | null {
  if (!Array.isArray(content)) return asText(content)
  return content.map(part => textOf(part, 'text') ?? asText(part)).join('\n')
}
