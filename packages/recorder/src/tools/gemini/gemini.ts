// Gemini CLI: its events, where its hooks are configured, and how its payloads become entries.
import { join } from 'node:path'
import {
  asInput,
  asMoment,
  asText,
  isObject,
  listOf,
  memberAt,
  objectOf,
  parseObject,
  textOf,
  withoutSpace,
} from '../../json/members.ts'
import { isInside } from '../cursor/cursor.ts'
import { endFields, toolCallFields } from '../event-fields.ts'
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

/** Every answer of a model contains this. */
const marks = ['"gemini"']

/**
 * Finds the tool calls in a transcript of Gemini CLI that it refused before they began: an unknown tool, invalid input, a path outside the
 * project. It runs no hook for them.
 */
const geminiRefusals: UnreportedEvents = {
  marks: ['"toolCalls"'],
  find: (lines, { sessionId, model }) => {
    const events: FoundEvent[] = []
    for (const line of lines) {
      for (const call of listCalls(line)) {
        const [id, name, error] = [textOf(call, 'id'), textOf(call, 'name'), errorOf(call)]
        // A call that had begun shows the model another text than the user, with few exceptions.
        if (id === null || error === null || call.status !== 'error' || call.resultDisplay !== error) continue
        const input = asInput(call.args)
        events.push({
          key: callKey('gemini', sessionId, id),
          unlessClaimed: failureKey(sessionId, name, input),
          ts: asMoment(call.timestamp, new Date(0)),
          tool: 'gemini',
          event: 'AfterTool',
          fields: toolCallFields(textOf(line, 'model') ?? model, { name, input, response: error, error }),
          folder: null,
        })
      }
    }
    return { events, state: {} }
  },
}

export const gemini: Tool = {
  name: 'gemini',
  events: ['BeforeAgent', 'AfterTool', 'AfterAgent', 'SessionEnd'],
  hookFiles: (root, home) => [join(root, '.gemini', 'settings.json'), join(home, '.gemini', 'settings.json')],
  projectVariable: 'GEMINI_PROJECT_DIR',
  findFolders: (payload, { environment, workingFolder }) => [
    textOf(payload, 'cwd') ?? environment.GEMINI_CWD ?? workingFolder,
    environment.GEMINI_PROJECT_DIR ?? workingFolder,
  ],
  mapEvent,
  userSettings: home => join(home, '.gemini', 'settings.json'),
  findSessionsBelow,
  unreported: geminiRefusals,
  late: {
    marks,
    digest: ({ type, timestamp, model }) => ({ type, timestamp, model }),
    complete: ({ event, ts }, lines) => ({ model: findModelAt(lines, ts, event === 'BeforeAgent') }),
  },
}

function mapEvent(event: string, payload: Payload, { now, transcripts }: Surroundings): MappedEvent {
  const transcript = textOf(payload, 'transcript_path')
  const isEnd = event === 'AfterAgent'
  const { lines } =
    transcript === null
      ? { lines: [] }
      : transcripts.readBack(transcript, isEnd ? [...marks, '"user"'] : marks, line =>
          isEnd ? isPrompt(line) : modelOf(line) !== null,
        )
  const model = lines.map(modelOf).findLast(Boolean) ?? null
  const [ts, sessionId] = [asMoment(payload.timestamp, now), textOf(payload, 'session_id') ?? '']
  const fields = mapFields(event, payload, model, lines)
  const { tool_name = null, tool_input = null, tool_error = null } = fields
  const once = { key: failureKey(sessionId, tool_name, tool_input), otherwise: null }
  const mapped = { ts, sessionId, fields, ...(tool_error === null ? {} : { once }) }
  if (transcript === null) return mapped
  const begin = () => ({ from: transcripts.sizeOf(transcript), notedAt: ts.getTime() })
  return {
    ...mapped,
    ...(model === null ? { completeFrom: transcript } : {}),
    session: { transcript, model, isTurnEnd: isEnd, begin },
  }
}

/** The model of the last answer before a moment (Unix ms). For the first prompt of a session it is the model of the answer to that prompt. */
function findModelAt(lines: readonly TranscriptLine[], at: number, isPrompt: boolean): string | null {
  const isBefore = (line: TranscriptLine) => asMoment(line.timestamp, new Date(0)).getTime() <= at
  const before = lines.filter(isBefore).map(modelOf).findLast(Boolean)
  const after = isPrompt ? lines.map(modelOf).find(Boolean) : undefined
  return before ?? after ?? null
}

function modelOf(line: TranscriptLine): string | null {
  return line.type === 'gemini' ? textOf(line, 'model') : null
}

/** The output of tools is in lines of this type, too. */
function isPrompt(line: TranscriptLine): boolean {
  return line.type === 'user' && !listOf(line, 'content').some(part => memberAt(part, 'functionResponse'))
}

/** The last text of the last turn, if it is in the hook's payload: the file may lag behind. */
function findAnswer(lines: readonly TranscriptLine[], reported: string | null): string | null {
  const turn = lines.slice(lines.findLastIndex(isPrompt) + 1)
  const texts = turn.filter(({ type }) => type === 'gemini').map(({ content }) => flattenContent(content))
  const answer = texts.findLast(text => text !== null && text !== '') ?? null
  return answer !== null && withoutSpace(reported ?? '').includes(withoutSpace(answer)) ? answer : null
}

function mapFields(
  event: string,
  payload: Payload,
  model: string | null,
  lines: readonly TranscriptLine[],
): EventFields {
  switch (event) {
    case 'BeforeAgent':
      return { model, prompt: asText(payload.prompt) }
    case 'AfterTool': {
      const response = objectOf(payload, 'tool_response')
      return toolCallFields(model, {
        name: textOf(payload, 'tool_name'),
        input: asInput(payload.tool_input),
        response: flattenContent(response.llmContent),
        error: textOf(objectOf(response, 'error'), 'message') ?? asText(response.error),
      })
    }
    case 'AfterAgent': {
      const reported = textOf(payload, 'prompt_response')
      const answer = findAnswer(lines, reported)
      if (answer !== null) return endFields(model, answer, null)
      // Version 0.61.0 repeats parts of every answer that came in more than one piece.
      return { ...endFields(model, reported, null), recorder_doubtful: ['response_summary'] }
    }
    default:
      return endFields(model, null, textOf(payload, 'reason'))
  }
}

/** The output of a tool is a text or a list of parts; an entry holds one text. */
function flattenContent(content: unknown): string | null {
  if (!Array.isArray(content)) return partText(content)
  return content.map(part => partText(part) ?? '').join('')
}

function partText(part: unknown): string | null {
  return textOf(part, 'text') ?? asText(part)
}

/** Gemini CLI keeps a list of the folders that it was started in. It uses only the hooks of exactly that folder, so sessions in a subfolder of the project are not recorded. */
function findSessionsBelow({
  home,
  root,
  readText,
  files,
  transcripts,
  since,
}: KeptSessionSources): KeptSession[] {
  const kept = join(home, '.gemini')
  return listProjects(readText(join(kept, 'projects.json')))
    .filter(({ folder }) => folder !== root && isInside(folder, root))
    .flatMap(({ folder, name }) => {
      const chats = join(kept, 'tmp', name, 'chats')
      return files
        .list(chats)
        .map(file => join(chats, file))
        .filter(path => path.endsWith('.jsonl') && (files.modifiedAt(path) ?? 0) >= since)
        .flatMap(path => {
          const [first] = transcripts.readOn(path, 0, ['"sessionId"']).lines
          const sessionId = textOf(first ?? {}, 'sessionId')
          return sessionId === null || first?.kind === 'subagent' ? [] : [{ sessionId, folder }]
        })
    })
}

function listProjects(text: string | null): { folder: string; name: string }[] {
  return Object.entries(objectOf(parseObject(text ?? ''), 'projects')).flatMap(([folder, name]) =>
    typeof name === 'string' && /^[\w.-]+$/.test(name) && !/^\.+$/.test(name) ? [{ folder, name }] : [],
  )
}

/** A hook does not name its call. So it claims what failed, which keeps the scan from recording one of the exceptions. */
function failureKey(sessionId: string, name: string | null, input: string | object | null): string {
  return callKey('gemini', sessionId, `failed ${name} ${JSON.stringify(input)}`)
}

function listCalls(line: Payload): Payload[] {
  return line.type === 'gemini' ? listOf(line, 'toolCalls').filter(isObject) : []
}

function errorOf(call: Payload): string | null {
  return textOf(memberAt(listOf(call, 'result')[0], 'functionResponse', 'response'), 'error')
}
