// Google Antigravity: its one event, whose payload has no prompt, which the hook or the scan at push finds in the transcript.
import { join } from 'node:path'
import { asMoment, listOf, memberAt, textOf, textsOf } from '../../json/members.ts'
import type { Notes } from '../../spool/notes.ts'
import { isInside } from '../cursor/cursor.ts'
import { readSessionNote, type SessionNote } from '../session-notes.ts'
import type {
  KeptSessionSources,
  MappedEvent,
  Payload,
  Surroundings,
  Tool,
  TranscriptLine,
  UnreportedEvents,
} from '../tool.ts'

/** Every line with a prompt contains this. */
const promptMarks = ['"USER_INPUT"']

/** Finds the prompts of the user among the steps of an Antigravity transcript. */
const antigravityPrompts: UnreportedEvents = {
  marks: promptMarks,
  find: (lines, { sessionId, model }) => ({
    events: findPrompts(lines).map(({ step, createdAt, text }) => ({
      key: promptKey(sessionId, step),
      ts: createdAt,
      tool: 'antigravity',
      event: 'PreInvocation',
      fields: { model, prompt: text },
      folder: null,
    })),
    state: {},
  }),
}

export const antigravity: Tool = {
  name: 'antigravity',
  events: ['PreInvocation'],
  hookFiles: (root, home) => [
    join(root, '.agents', 'hooks.json'),
    join(home, '.gemini', 'config', 'hooks.json'),
  ],
  projectVariable: null,
  findFolders: (payload, { workingFolder }) => {
    const workspaces = textsOf(payload, 'workspacePaths')
    // The hook runs in the folder of its configuration.
    const own = workspaces.filter(workspace => isInside(workingFolder, workspace))
    return [...own, ...(own.length > 0 ? [] : workspaces), workingFolder]
  },
  mapEvent,
  unreported: antigravityPrompts,
}

function mapEvent(_event: string, payload: Payload, surroundings: Surroundings, notes: Notes): MappedEvent {
  const conversation =
    textOf(payload, 'conversationId') ?? surroundings.environment.ANTIGRAVITY_CONVERSATION_ID ?? ''
  const transcript = textOf(payload, 'transcriptPath')
  const model = textOf(payload, 'modelName')
  const mapped = { ts: surroundings.now, sessionId: conversation }
  if (conversation === '' || transcript === null) return { ...mapped, fields: { model, prompt: null } }
  const notedAt = surroundings.now.getTime() - longestBeforeHookMs
  const session = { transcript, model, isTurnEnd: false, begin: () => ({ from: 0, notedAt }) }
  const isEnough = (line: TranscriptLine) => findPrompts([line]).length > 0
  const { lines } = surroundings.transcripts.readBack(transcript, promptMarks, isEnough)
  const prompt = findPrompts(lines).at(-1)
  const since = readSessionNote(notes, transcript)?.notedAt ?? notedAt
  if (prompt === undefined || prompt.createdAt.getTime() < since)
    return { ...mapped, session, fields: { model, prompt: null } }
  return {
    ...mapped,
    session,
    fields: { model, prompt: prompt.text },
    once: { key: promptKey(conversation, prompt.step), otherwise: { model, prompt: null } },
  }
}

export type TranscriptPrompt = { readonly step: number; readonly createdAt: Date; readonly text: string }

/** A prompt is written at most this long (ms) before the first hook of its turn. Earlier ones are from before the recorder. */
const longestBeforeHookMs = 120_000

function findPrompts(lines: readonly TranscriptLine[]): TranscriptPrompt[] {
  return lines.flatMap(line => {
    const content = textOf(line, 'content')
    const step = line.step_index
    if (line.type !== 'USER_INPUT' || line.source !== 'USER_EXPLICIT') return []
    if (content === null || typeof step !== 'number') return []
    return [{ step, createdAt: asMoment(line.created_at, new Date(0)), text: unwrapRequest(content) }]
  })
}

/** Identifies a prompt for both the hook and the scan. */
function promptKey(conversation: string, step: number): string {
  return `antigravity-${conversation}-${step}`
}

function unwrapRequest(content: string): string {
  const request = /<USER_REQUEST>\r?\n?([\s\S]*?)\r?\n?<\/USER_REQUEST>/.exec(content)
  return request?.[1] ?? content
}

type UnnotedDependencies = Pick<KeptSessionSources, 'files' | 'transcripts' | 'home' | 'root' | 'since'> & {
  /** The path with symbolic links resolved. */
  readonly resolvePath: (path: string) => string
}

const surfaces = ['antigravity', 'antigravity-ide', 'antigravity-cli']
const logPath = ['.system_generated', 'logs', 'transcript_full.jsonl']

/** Members of a tool call's arguments that name a path. */
const placeNames = ['AbsolutePath', 'TargetFile', 'Cwd', 'DirectoryPath']

/** Finds the transcripts of conversations in this repository for which no hook ran, and only those that certainly belong here. */
export function findUnnoted(dependencies: UnnotedDependencies, notes: readonly SessionNote[]): SessionNote[] {
  const noted = new Set(notes.map(({ transcript }) => transcript))
  const { files, transcripts, home, since, resolvePath } = dependencies
  const root = resolvePath(dependencies.root)
  const isHere = (place: string) => isInside(resolvePath(place), root)
  return surfaces.flatMap(surface => {
    const folder = join(home, '.gemini', surface)
    const workspaces = readWorkspaces(transcripts.readTail(join(folder, 'history.jsonl')))
    return files.list(join(folder, 'brain')).flatMap(conversation => {
      const transcript = join(folder, 'brain', conversation, ...logPath)
      if (noted.has(transcript) || (files.modifiedAt(transcript) ?? 0) < since) return []
      const workspace = workspaces.get(conversation)
      // Only a path inside the repository counts. The common folder of several paths says nothing.
      const belongs =
        workspace !== undefined
          ? isHere(workspace)
          : transcripts.readTail(transcript).some(line => listPlaces(line).some(isHere))
      if (!belongs) return []
      const begin = { notedAt: since - longestBeforeHookMs, from: 0, places: null }
      return [{ tool: 'antigravity', sessionId: conversation, transcript, model: null, ...begin }]
    })
  })
}

function readWorkspaces(lines: readonly TranscriptLine[]): Map<string, string> {
  const workspaces = new Map<string, string>()
  for (const line of lines) {
    const [conversation, workspace] = [textOf(line, 'conversationId'), textOf(line, 'workspace')]
    if (conversation !== null && workspace !== null) workspaces.set(conversation, workspace)
  }
  return workspaces
}

function listPlaces(line: TranscriptLine): string[] {
  return listOf(line, 'tool_calls').flatMap(call =>
    placeNames.flatMap(name => textOf(memberAt(call, 'args'), name) ?? []),
  )
}
