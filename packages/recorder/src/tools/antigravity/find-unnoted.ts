// Finds the transcripts of conversations in this repository for which no hook ran, and only those that certainly belong here.
import { join } from 'node:path'
import { listOf, memberAt, textOf } from '../../json/members.ts'
import type { Files } from '../../spool/files.ts'
import { isInside } from '../cursor/find-folders.ts'
import type { SessionNote } from '../session-notes.ts'
import type { TranscriptLine } from '../tool.ts'
import type { Transcripts } from '../transcripts.ts'
import { longestBeforeHookMs } from './find-prompts.ts'

export type UnnotedDependencies = {
  readonly files: Pick<Files, 'list' | 'modifiedAt'>
  readonly transcripts: Transcripts
  readonly home: string
  readonly root: string
  /** Unix ms. Transcripts last written before this are ignored. */
  readonly since: number
  /** The path with symbolic links resolved. */
  readonly resolvePath: (path: string) => string
}

const surfaces = ['antigravity', 'antigravity-ide', 'antigravity-cli']
const logPath = ['.system_generated', 'logs', 'transcript_full.jsonl']

/** Members of a tool call's arguments that name a path. */
const placeNames = ['AbsolutePath', 'TargetFile', 'Cwd', 'DirectoryPath']

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
