// The flow of a hook: payload → whose event → which repository → entry → spool. Nothing here touches the network.
import { buildEntry } from '../entry/build-entry.ts'
import { findRepository, type Repository } from '../git/find-repository.ts'
import { type FactSources, type RepositoryFacts, readFacts } from '../git/read-facts.ts'
import { putOnce } from '../spool/claims.ts'
import { noteCompletion } from '../spool/completions.ts'
import { fallbackFolder, recorderFolder } from '../spool/layout.ts'
import { createNotes } from '../spool/notes.ts'
import { openSpool, type Spool, type SpoolDependencies } from '../spool/spool.ts'
import { tools } from '../tools/find-tool.ts'
import { findInstallation } from '../tools/is-installed.ts'
import type { MappedEvent, Payload, Surroundings, Tool } from '../tools/tool.ts'
import { type ChosenEvent, chooseEvent } from './choose-event.ts'
import { identifyHost } from './identify-host.ts'

export type HookDependencies = Surroundings & Pick<FactSources, 'loadGit'> & Omit<SpoolDependencies, 'now'>

/** Why nothing was recorded, for the recorder's own log; `recorded` when something was. */
export type HookResult = 'recorded' | 'not ours to record' | 'no repository' | 'no origin'

/** Throws when the entry could be written nowhere. */
export async function recordEvent(
  tool: Tool,
  event: string,
  payload: Payload,
  dependencies: HookDependencies,
): Promise<HookResult> {
  const { home, readText, environment } = dependencies
  const host = tools[identifyHost(tool.name, payload, environment)]
  const repository = findEventRepository(host, payload, dependencies)
  if (repository === null) return 'no repository'
  const isHostHooked = host !== tool && findInstallation(host, repository.root, home, readText) !== null
  const chosen = chooseEvent({ called: tool, event, payload, host, isHostHooked })
  if (chosen === null) return 'not ours to record'
  const facts = await readFacts(repository, dependencies)
  if (facts === null) return 'no origin'
  const put = (folder: string) =>
    putEvent(
      openSpool(folder, { ...dependencies, now: () => dependencies.now }),
      chosen,
      payload,
      facts,
      dependencies,
    )
  try {
    put(recorderFolder(repository.commonFolder))
  } catch {
    // The git folder may be read-only, its disk full: another place is better than none.
    put(fallbackFolder(home, repository.commonFolder))
  }
  return 'recorded'
}

function findEventRepository(
  tool: Tool,
  payload: Payload,
  dependencies: HookDependencies,
): Repository | null {
  for (const folder of tool.findFolders(payload, dependencies)) {
    const repository = findRepository(folder, dependencies.readText)
    if (repository !== null) return repository
  }
  return null
}

function putEvent(
  spool: Spool,
  { tool, event }: ChosenEvent,
  payload: Payload,
  facts: RepositoryFacts,
  surroundings: Surroundings,
): void {
  const mapped = tool.mapEvent(event, payload, surroundings, createNotes(spool))
  const number = (fields: MappedEvent['fields']) =>
    spool.number(
      buildEntry({ ts: mapped.ts, tool: tool.name, event, sessionId: mapped.sessionId, fields }, facts),
    )
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
