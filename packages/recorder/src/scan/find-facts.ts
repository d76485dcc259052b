// Which repository an event of a transcript belongs to: the same as if a hook had reported it.
import { type FactSources, type RepositoryFacts, readFacts } from '../git/read-facts.ts'
import { findTool } from '../tools/find-tool.ts'
import { chooseRepositories, isSame, type RepositorySources } from './choose-repositories.ts'
import type { ScanDependencies } from './scan-transcripts.ts'

/** `commonFolder`: the git folder whose recorder asks. */
export function createFindFacts(
  commonFolder: string,
  sources: FactSources & RepositorySources,
): ScanDependencies['findFacts'] {
  const known = new Map<string, RepositoryFacts | null>()
  const find: ScanDependencies['findFacts'] = async ({ tool, places }, folder) => {
    if (places === null) return null
    const isUserWide = findTool(tool)?.userSettings !== undefined
    const folders = [...(folder === null ? [] : [folder]), ...places.folders]
    for (const repository of chooseRepositories({ ...places, folders, isUserWide }, sources) ?? []) {
      const facts = await readFacts(repository, sources)
      if (facts !== null) return isSame(repository, commonFolder, sources) ? facts : null
    }
    return null
  }
  return async (note, folder) => {
    const key = JSON.stringify([note.transcript, folder])
    if (!known.has(key)) known.set(key, await find(note, folder))
    return known.get(key) ?? null
  }
}
