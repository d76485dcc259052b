// The flow of a hook: payload → which tool → which repository → entry → spool. Nothing here uses the network.

import { buildEntry } from '../entry/build-entry.ts'
import type { Repository } from '../git/find-repository.ts'
import { type FactSources, type RepositoryFacts, readFacts } from '../git/read-facts.ts'
import { textOf } from '../json/members.ts'
import { chooseRepositories, createFindFacts } from '../scan/choose-repositories.ts'
import { scanTranscript } from '../scan/scan-transcripts.ts'
import { appendLog } from '../spool/append-log.ts'
import { putOnce } from '../spool/claims.ts'
import { noteCompletion } from '../spool/completions.ts'
import { checksum, fallbackFolder, recorderFolder } from '../spool/layout.ts'
import { createNotes, type Notes } from '../spool/notes.ts'
import { openSpool, type Spool, type SpoolDependencies } from '../spool/spool.ts'
import { findInstallation, isSetUp, tools } from '../tools/find-tool.ts'
import { noteSession, type SessionNote } from '../tools/session-notes.ts'
import type { MappedEvent, Payload, SessionTranscript, Surroundings, Tool } from '../tools/tool.ts'
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
    const noted = putSomewhere(chosen, payload, facts, repository, onceKey, dependencies)
    await lookAtTurn(noted, repository, dependencies)
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
  const { calledFolder, workingFolder } = dependencies
  return chooseRepositories(
    {
      folders: host.findFolders(payload, dependencies),
      projectFolder: readProjectFolder(host, dependencies),
      calledFolder,
      workingFolder,
      isUserWide: called.userSettings !== undefined,
    },
    dependencies,
  )
}

function readProjectFolder({ projectVariable }: Tool, { environment }: HookDependencies): string | null {
  return projectVariable === null ? null : environment[projectVariable] || null
}

type NotedEvent = {
  readonly spool: Spool
  /** The transcript, if its turn has ended. */
  readonly endedTurn: SessionNote | null
}

function putSomewhere(
  chosen: ChosenEvent,
  payload: Payload,
  facts: RepositoryFacts,
  { commonFolder }: Repository,
  onceKey: string | null,
  dependencies: HookDependencies,
): NotedEvent {
  const put = (folder: string): NotedEvent => {
    const spool = openSpool(folder, { ...dependencies, now: () => dependencies.now })
    return { spool, endedTurn: putEvent(spool, chosen, payload, facts, onceKey, dependencies) }
  }
  try {
    return put(recorderFolder(commonFolder))
  } catch {
    // The git folder may be read-only or its disk full. Another place is better than none.
    return put(fallbackFolder(dependencies.home, commonFolder))
  }
}

/** Returns the transcript to look at if the turn has ended. */
function putEvent(
  spool: Spool,
  { tool, event }: ChosenEvent,
  payload: Payload,
  facts: RepositoryFacts,
  onceKey: string | null,
  dependencies: HookDependencies,
): SessionNote | null {
  const notes = createNotes(spool)
  const mapped = tool.mapEvent(event, payload, dependencies, notes)
  const { ts, sessionId, session } = mapped
  const now = dependencies.now.getTime()
  const noted = session === undefined ? null : note(notes, tool, payload, sessionId, session, dependencies)
  const number = (fields: MappedEvent['fields']) => {
    const entry = spool.number(buildEntry({ ts, tool: tool.name, event, sessionId, fields }, facts))
    if (mapped.completeFrom !== undefined)
      noteCompletion(spool, entry.name, { tool: tool.name, transcript: mapped.completeFrom })
    return entry
  }
  const key = onceKey ?? mapped.once?.key
  if (key === undefined) spool.put(number(mapped.fields))
  else {
    const outcome = putOnce(spool, { key, by: 'hook' }, now, () => number(mapped.fields))
    const otherwise = mapped.once?.otherwise ?? null
    // Some models give several calls the same id.
    const isAnother = onceKey === null && outcome.kind === 'carried' && outcome.by === 'hook'
    if (outcome.kind !== 'put' && otherwise !== null) spool.put(number(otherwise))
    else if (isAnother) spool.put(number(mapped.fields))
  }
  return session?.isTurnEnd ? noted : null
}

function note(
  notes: Notes,
  tool: Tool,
  payload: Payload,
  sessionId: string,
  { transcript, model, begin }: SessionTranscript,
  dependencies: HookDependencies,
): SessionNote {
  const { workingFolder, calledFolder } = dependencies
  const places = {
    folders: tool.findFolders(payload, dependencies),
    projectFolder: readProjectFolder(tool, dependencies),
    calledFolder,
    workingFolder,
  }
  return noteSession(notes, { tool: tool.name, sessionId, transcript, model, places }, begin)
}

/** How much of a transcript the end of a turn looks at. The next sending reads the rest. */
const longestLookBytes = 512 * 1024

/** Never fails: the event itself is already on disk. */
async function lookAtTurn(
  { spool, endedTurn }: NotedEvent,
  { commonFolder }: Repository,
  dependencies: HookDependencies,
): Promise<void> {
  if (endedTurn === null) return
  const scan = {
    spool,
    transcripts: dependencies.transcripts,
    now: dependencies.now.getTime(),
    isTimeUp: () => false,
    findFacts: createFindFacts(commonFolder, dependencies),
  }
  try {
    await scanTranscript(scan, endedTurn, longestLookBytes)
  } catch (thrown) {
    appendLog(spool.layout.log, dependencies.now, `transcript: ${String(thrown)}`)
  }
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
