// Gemini CLI: its events, where its hooks are configured, and how its payloads become entries.
import { join } from 'node:path'
import { isInside } from '../cursor/find-folders.ts'
import { endFields, promptFields, toolCallFields } from '../event-fields.ts'
import { asInput, asMoment, asText, objectOf, textOf } from '../payload.ts'
import type {
  EventFields,
  KeptSession,
  KeptSessionSources,
  MappedEvent,
  Payload,
  Surroundings,
  Tool,
  TranscriptLine,
} from '../tool.ts'

/** Every answer of a model contains this. */
const marks = ['"gemini"']

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
  late: {
    marks,
    digest: ({ type, timestamp, model }) => ({ type, timestamp, model }),
    complete: ({ event, ts }, lines) => ({ model: findModelAt(lines, ts, event === 'BeforeAgent') }),
  },
}

function mapEvent(event: string, payload: Payload, { now, transcripts }: Surroundings): MappedEvent {
  const transcript = textOf(payload, 'transcript_path')
  const { lines } =
    transcript === null
      ? { lines: [] }
      : transcripts.readBack(transcript, marks, line => modelOf(line) !== null)
  const model = lines.map(modelOf).findLast(Boolean) ?? null
  const mapped = {
    ts: asMoment(payload.timestamp, now),
    sessionId: textOf(payload, 'session_id') ?? '',
    fields: mapFields(event, payload, model),
  }
  return model === null && transcript !== null ? { ...mapped, completeFrom: transcript } : mapped
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

function mapFields(event: string, payload: Payload, model: string | null): EventFields {
  switch (event) {
    case 'BeforeAgent':
      return promptFields(model, asText(payload.prompt))
    case 'AfterTool': {
      const response = objectOf(payload, 'tool_response')
      return toolCallFields(model, {
        name: textOf(payload, 'tool_name'),
        input: asInput(payload.tool_input),
        response: flattenContent(response.llmContent),
        error: textOf(objectOf(response, 'error'), 'message') ?? asText(response.error),
      })
    }
    case 'AfterAgent':
      return endFields(model, textOf(payload, 'prompt_response'), null)
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
  if (typeof part !== 'object' || part === null) return asText(part)
  return textOf({ ...part }, 'text') ?? asText(part)
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
  try {
    const projects = objectOf(JSON.parse(text ?? '{}'), 'projects')
    return Object.entries(projects).flatMap(([folder, name]) =>
      typeof name === 'string' && /^[\w.-]+$/.test(name) && !/^\.+$/.test(name) ? [{ folder, name }] : [],
    )
  } catch {
    return []
  }
}
