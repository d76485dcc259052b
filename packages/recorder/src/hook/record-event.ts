// The flow of a hook: payload → which tool → which repository → entry → spool. Nothing here uses the network.

import { dirname, resolve } from 'node:path'
import { buildEntry } from '../entry/build-entry.ts'
import { findRepositories, findRepository, openGitFolder, type Repository } from '../git/find-repository.ts'
import { type FactSources, type RepositoryFacts, readFacts } from '../git/read-facts.ts'
import type { ReadText } from '../git/read-text.ts'
import { putOnce } from '../spool/claims.ts'
import { noteCompletion } from '../spool/completions.ts'
import { checksum, fallbackFolder, recorderFolder } from '../spool/layout.ts'
import { createNotes } from '../spool/notes.ts'
import { openSpool, type Spool, type SpoolDependencies } from '../spool/spool.ts'
import { tools } from '../tools/find-tool.ts'
import { findInstallation, isSetUp } from '../tools/is-installed.ts'
import { textOf } from '../tools/payload.ts'
import type { MappedEvent, Payload, Surroundings, Tool } from '../tools/tool.ts'
import { identifyHost } from './identify-host.ts'

export type HookDependencies = Surroundings &
  Pick<FactSources, 'loadGit'> &
  Omit<SpoolDependencies, 'now'> & {
    /** The recorder's folder whose start script was run; null if it was started in another way. */
    readonly calledFolder: string | null
    /** The path with symbolic links resolved. */
    readonly resolvePath: (path: string) => string
  }

/** `skipped` says why nothing was recorded, and in which repository's recorder folder people will look for it, if any. */
export type HookResult =
  | { readonly kind: 'recorded' }
  /** The hook of another repository, or another call of this one, decides about the event. */
  | { readonly kind: 'left to others' }
  | { readonly kind: 'skipped'; readonly reason: string; readonly folder: string | null }

/** Throws when the entry could not be written anywhere. */
export async function recordEvent(
  tool: Tool,
  event: string,
  payload: Payload,
  dependencies: HookDependencies,
): Promise<HookResult> {
  const { home, readText, environment } = dependencies
  const host = tools[identifyHost(tool.name, payload, environment)]
  const repositories = listRepositories(host, tool, payload, dependencies)
  if (repositories === null) return { kind: 'left to others' }
  const [likeliest] = repositories
  if (likeliest === undefined) return { kind: 'skipped', reason: 'it was in no repository', folder: null }
  const skip = (reason: string): HookResult => {
    const shown = repositories.find(repository => isSetUp(repository, readText))
    return {
      kind: 'skipped',
      reason,
      folder: shown === undefined ? null : recorderFolder(shown.commonFolder),
    }
  }
  const isHostHooked = host !== tool && findInstallation(host, likeliest.root, home, readText) !== null
  const chosen = chooseEvent({ called: tool, event, payload, host, isHostHooked })
  if (chosen === null) return skip(explainRefusal(tool, host, isHostHooked))
  for (const repository of repositories) {
    const facts = await readFacts(repository, dependencies)
    if (facts === null) continue
    const onceKey = isCalledTwice(tool, host, dependencies)
      ? `guest-${checksum(JSON.stringify(payload))}`
      : null
    putSomewhere(chosen, payload, facts, repository, onceKey, dependencies)
    return { kind: 'recorded' }
  }
  return skip('the repository has no remote named origin')
}

/** A tool runs a command that is in both its project's and its user's settings once. Cursor, as a guest, may run it once for each. */
function isCalledTwice(called: Tool, host: Tool, dependencies: HookDependencies): boolean {
  const { calledFolder, home, environment, readText } = dependencies
  if (host === called || called.userSettings === undefined || calledFolder === null) return false
  return (readText(called.userSettings(home, environment)) ?? '').includes(calledFolder)
}

function explainRefusal(tool: Tool, host: Tool, isHostHooked: boolean): string {
  if (host === tool) return 'it is not among the events that are recorded'
  return isHostHooked || host.name !== 'cursor'
    ? `${host.name} ran this hook, which has hooks of its own`
    : `${host.name} ran this hook, with an event that is not recorded`
}

function listRepositories(
  host: Tool,
  called: Tool,
  payload: Payload,
  dependencies: HookDependencies,
): Repository[] | null {
  const { environment, calledFolder, workingFolder } = dependencies
  const project = host.projectVariable === null ? undefined : environment[host.projectVariable]
  return chooseRepositories(
    {
      folders: host.findFolders(payload, dependencies),
      projectFolder: project === undefined || project === '' ? null : project,
      calledFolder,
      workingFolder,
      isUserWide: called.userSettings !== undefined,
    },
    dependencies,
  )
}

function putSomewhere(
  chosen: ChosenEvent,
  payload: Payload,
  facts: RepositoryFacts,
  { commonFolder }: Repository,
  onceKey: string | null,
  dependencies: HookDependencies,
): void {
  const put = (folder: string) =>
    putEvent(
      openSpool(folder, { ...dependencies, now: () => dependencies.now }),
      chosen,
      payload,
      facts,
      onceKey,
      dependencies,
    )
  try {
    put(recorderFolder(commonFolder))
  } catch {
    // The git folder may be read-only or its disk full. Another place is better than none.
    put(fallbackFolder(dependencies.home, commonFolder))
  }
}

function putEvent(
  spool: Spool,
  { tool, event }: ChosenEvent,
  payload: Payload,
  facts: RepositoryFacts,
  onceKey: string | null,
  surroundings: Surroundings,
): void {
  const mapped = tool.mapEvent(event, payload, surroundings, createNotes(spool))
  const number = (fields: MappedEvent['fields']) =>
    spool.number(
      buildEntry({ ts: mapped.ts, tool: tool.name, event, sessionId: mapped.sessionId, fields }, facts),
    )
  if (onceKey !== null) {
    putOnce(spool, onceKey, surroundings.now.getTime(), () => number(mapped.fields))
    return
  }
  if (mapped.once !== undefined) {
    const outcome = putOnce(spool, mapped.once.key, surroundings.now.getTime(), () => number(mapped.fields))
    if (outcome !== 'put') spool.put(number(mapped.once.otherwise))
    return
  }
  const entry = number(mapped.fields)
  if (mapped.completeFrom !== undefined) {
    noteCompletion(spool, entry.name, { tool: tool.name, transcript: mapped.completeFrom })
  }
  spool.put(entry)
}

// Decides whether an event is recorded, and for which tool: once, for the tool that had it, and only if the specification lists it.

type ChosenEvent = { readonly tool: Tool; readonly event: string }

type HookCall = {
  /** The tool whose hook was run. */
  readonly called: Tool
  readonly event: string
  readonly payload: Payload
  /** The tool that ran it. */
  readonly host: Tool
  /** Whether the host has our hooks itself. */
  readonly isHostHooked: boolean
}

/**
 * null: the event is not recorded. Cursor runs the hooks of Claude Code under its own event names. Such an event counts as Cursor's
 * unless Cursor has our hooks itself. Any other guest has its own hooks and is skipped.
 */
function chooseEvent({ called, event, payload, host, isHostHooked }: HookCall): ChosenEvent | null {
  if (host.name === called.name) return called.events.includes(event) ? { tool: called, event } : null
  if (host.name !== 'cursor' || isHostHooked) return null
  const own = textOf(payload, 'hook_event_name') ?? ''
  return host.events.includes(own) ? { tool: host, event: own } : null
}

/** Decides which repository an event belongs to. A session stays with its project. The folder of its shell counts only if that repository is itself set up for recording. */
type EventPlaces = {
  /** The folders that the payload names, the most likely first. */
  readonly folders: readonly string[]
  /** Where the session was started, if the tool says so. */
  readonly projectFolder: string | null
  /** The recorder's folder whose start script the tool ran; null if the recorder was started in another way. */
  readonly calledFolder: string | null
  readonly workingFolder: string
  /** The hook may be in the user's settings. Then it runs for the sessions of all projects. */
  readonly isUserWide: boolean
}

type Sources = {
  readonly readText: ReadText
  /** The path with symbolic links resolved. */
  readonly resolvePath: (path: string) => string
}

/**
 * The repositories that an event may belong to, the best first. A later one counts if an earlier one has no remote `origin`.
 * null: the session does not concern the repository whose hook was called.
 */
function chooseRepositories(places: EventPlaces, sources: Sources): Repository[] | null {
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
  sources: Sources,
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
  sources: Sources,
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

function isSame({ commonFolder }: Repository, other: string, { resolvePath }: Sources): boolean {
  return commonFolder === other || resolvePath(commonFolder) === resolvePath(other)
}
