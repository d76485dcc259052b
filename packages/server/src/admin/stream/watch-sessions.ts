// The topics `session:{team}/{id}`: the entries and calls of a session that came last, so that whoever reads it sees it go on.
import type { CoverageReader } from '../../coverage/coverage-reader.ts'
import type { Store } from '../../store/store.ts'
import { SessionReader, type SessionReaderDependencies } from '../overview/session-reader.ts'

export type WatchSessionsDependencies = {
  readonly coverage: SessionReaderDependencies['coverage'] & Pick<CoverageReader, 'readBook'>
  readonly read: SessionReaderDependencies['read'] & Pick<Store['read'], 'readCallsPage'>
  readonly directory: SessionReaderDependencies['directory']
}

const mostItems = 20
const mostBytes = 256 * 1024
const anyCall = { from: null, until: null, keyHash: null, code: null, endpoint: null, model: null }

export class SessionsWatch {
  readonly #dependencies: WatchSessionsDependencies
  readonly #sessions: SessionReader

  constructor(dependencies: WatchSessionsDependencies) {
    this.#dependencies = dependencies
    this.#sessions = new SessionReader(dependencies)
  }

  /**
   * `ref` of an item → its JSON, as on a page of the session: the entries with the highest numbers, late ones too, and the newest calls
   * that name the session. Rejects with StoreUnavailable.
   */
  async read(teamId: string, id: string): Promise<ReadonlyMap<string, string>> {
    const { coverage, read } = this.#dependencies
    const book = await coverage.readBook(teamId)
    const numbers = book
      .keysOf(id)
      .flatMap(key => book.newestOf(key))
      .sort((left, right) => right - left)
      .slice(0, mostItems)
    const named = { teamId, sessionId: id, outcome: null, tool: null, beforeId: null, limit: mostItems }
    const [rows, page] = await Promise.all([
      read.readNumberedEntries({ teamId, numbers, maximumBytes: mostBytes }),
      id.includes('\0') ? { calls: [] } : read.readCallsPage({ ...anyCall, ...named }),
    ])
    const items = [
      ...rows.map(row => this.#sessions.writeEntryItem(teamId, row)),
      ...page.calls.map(call => this.#sessions.writeCallItem(call, null)),
    ]
    return new Map(items.map(item => [item.ref, JSON.stringify(item)]))
  }
}

export type SessionTopic = { readonly teamId: string; readonly sessionId: string }

const sessionTopic = /^session:([A-Za-z0-9][A-Za-z0-9._-]*)\/([!-+\--~]+)$/

/** Null for what names no session. The id is written as in an address, so that it has neither commas nor line breaks. */
export function readSessionTopic(topic: string): SessionTopic | null {
  const [, teamId, written] = sessionTopic.exec(topic) ?? []
  if (teamId === undefined || written === undefined) return null
  try {
    return { teamId, sessionId: decodeURIComponent(written) }
  } catch {
    return null
  }
}
