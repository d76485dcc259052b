// Decides which repository an event belongs to. A session stays with its project. The folder of its shell counts only if that repository is itself set up for recording.
import { dirname, resolve } from 'node:path'
import {
  findRepositories,
  findRepository,
  openGitFolder,
  type ReadText,
  type Repository,
} from '../git/find-repository.ts'
import { type FactSources, type RepositoryFacts, readFacts } from '../git/read-facts.ts'
import { recorderFolder } from '../spool/layout.ts'
import { findTool, isSetUp } from '../tools/find-tool.ts'
import type { SessionPlaces } from '../tools/tool.ts'
import type { ScanDependencies } from './scan-transcripts.ts'

/** `folders`: those that the event names, the most likely first. */
export type EventPlaces = SessionPlaces & {
  /** The hook may be in the user's settings. Then it runs for the sessions of all projects. */
  readonly isUserWide: boolean
}

export type RepositorySources = {
  readonly readText: ReadText
  /** The path with symbolic links resolved. */
  readonly resolvePath: (path: string) => string
}

/**
 * The repositories that an event may belong to, the best first. A later one counts if an earlier one has no remote `origin`.
 * null: the session does not concern the repository whose hook was called.
 */
export function chooseRepositories(places: EventPlaces, sources: RepositorySources): Repository[] | null {
  const { readText } = sources
  const own = findFirst(places.folders, readText)
  const commonFolder = findCalledFolder(places)
  if (commonFolder !== null && places.isUserWide && !isItsSession(commonFolder, own, places, sources))
    return null
  if (own !== null && commonFolder !== null && isSame(own, commonFolder, sources)) return [own]
  const called = commonFolder === null ? null : findWorkTree(commonFolder, places, sources)
  const project = called ?? findProject(places, readText)
  const chosen = own !== null && isSetUp(own, readText) ? [own, project] : [project, called ?? own]
  const found = chosen.filter(repository => repository !== null)
  return found.filter(({ root }, index) => found.findIndex(repository => repository.root === root) === index)
}

function findFirst(folders: readonly string[], readText: ReadText): Repository | null {
  for (const folder of folders) {
    const repository = findRepository(folder, readText)
    if (repository !== null) return repository
  }
  return null
}

/** The git folder whose hook was called. */
function findCalledFolder({ calledFolder, workingFolder }: EventPlaces): string | null {
  if (calledFolder === null) return null
  const folder = resolve(workingFolder, calledFolder)
  const commonFolder = dirname(folder)
  return recorderFolder(commonFolder) === folder ? commonFolder : null
}

/** A session belongs to the innermost repository around its start that is set up. If there is none, each event belongs to that of its folder. */
function isItsSession(
  commonFolder: string,
  own: Repository | null,
  { projectFolder, workingFolder }: EventPlaces,
  sources: RepositorySources,
): boolean {
  const { readText } = sources
  const around = findRepositories(projectFolder ?? workingFolder, readText).find(
    repository => isSame(repository, commonFolder, sources) || isSetUp(repository, readText),
  )
  const answerable = around ?? own
  return answerable !== null && isSame(answerable, commonFolder, sources)
}

/** The work tree that the session is in, among those that share a git folder. */
function findWorkTree(
  commonFolder: string,
  { projectFolder, folders, workingFolder }: EventPlaces,
  sources: RepositorySources,
): Repository | null {
  for (const place of [...folders, projectFolder ?? workingFolder, workingFolder]) {
    const found = findRepositories(place, sources.readText).find(repository =>
      isSame(repository, commonFolder, sources),
    )
    if (found !== undefined) return found
  }
  return openGitFolder(commonFolder, sources.readText)
}

/** For an unknown hook: the innermost repository that is set up around the start of the session, or around the event. */
function findProject(
  { projectFolder, folders, workingFolder }: EventPlaces,
  readText: ReadText,
): Repository | null {
  for (const place of [projectFolder ?? workingFolder, workingFolder, ...folders]) {
    const found = findRepositories(place, readText).find(repository => isSetUp(repository, readText))
    if (found !== undefined) return found
  }
  return null
}

function isSame({ commonFolder }: Repository, other: string, { resolvePath }: RepositorySources): boolean {
  return commonFolder === other || resolvePath(commonFolder) === resolvePath(other)
}

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
