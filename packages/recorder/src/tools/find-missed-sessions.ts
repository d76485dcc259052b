// Finds sessions that a tool kept but that the recorder never heard of, because they were started in a subfolder of the project.
import { relative } from 'node:path'
import { findRepositories, type Repository } from '../git/find-repository.ts'
import { tools } from './find-tool.ts'
import { isSetUp } from './is-set-up.ts'
import type { KeptSessionSources, ToolName } from './tool.ts'

export type MissedSessions = {
  readonly tool: ToolName
  /** Relative to the top of the work tree. */
  readonly folder: string
  readonly count: number
}

/** `recorded` has the session ids of all entries. A repository inside this one that is set up itself reports its own sessions. */
export function findMissedSessions(
  { root, commonFolder }: Repository,
  recorded: ReadonlySet<string>,
  sources: Omit<KeptSessionSources, 'root'>,
): MissedSessions[] {
  const { readText } = sources
  const isOfThis = (folder: string) =>
    findRepositories(folder, readText).find(repository => isSetUp(repository, readText))?.commonFolder ===
    commonFolder
  return Object.values(tools).flatMap(({ name, findSessionsBelow }) => {
    const counts = new Map<string, number>()
    for (const { sessionId, folder } of findSessionsBelow?.({ ...sources, root }) ?? [])
      if (!recorded.has(sessionId) && isOfThis(folder)) counts.set(folder, (counts.get(folder) ?? 0) + 1)
    return [...counts].map(([folder, count]) => ({ tool: name, folder: relative(root, folder), count }))
  })
}
