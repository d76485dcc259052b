// The topics `session:{team}/{id}?tool={tool}`: the newest entries and calls of a session, so that its readers see it continue.
import { otherTool } from '@fairgate/contracts/console/session-view.ts'
import { sessionKey } from '../record/session-book.ts'
import { nameToolFamily } from '../record/tool-families.ts'
import type { Store } from '../store/store.ts'
import { SessionReader, type SessionReaderDependencies } from './session-reader.ts'

const maxItems = 20
/** Number of calls searched for one tool, because tools spell their names freely. */
const maxTools = 5
const maxBytes = 256 * 1024
const anyCall = { from: null, until: null, keyHash: null, code: null, endpoint: null, model: null }

/**
 * `ref` of an item → its JSON, as on a page of the session: the entries with the highest numbers, late ones too, and the newest calls that
 * name the session. Rejects with StoreUnavailable.
 */
export function watchSessions(
  dependencies: SessionReaderDependencies & { readonly read: Pick<Store['read'], 'readCallsPage'> },
): (topic: SessionTopic) => Promise<ReadonlyMap<string, string>> {
  const { coverage, read } = dependencies
  const sessions = new SessionReader(dependencies)
  return async ({ teamId, sessionId: id, tool }) => {
    const family = tool === otherTool ? null : tool
    const book = await coverage.readBook(teamId)
    const numbers = book
      .keysOf(id)
      .filter(key => tool === null || key === sessionKey(family, id))
      .flatMap(key => book.newestOf(key))
      .sort((left, right) => right - left)
      .slice(0, maxItems)
    const limit = tool === null ? maxItems : maxItems * maxTools
    const named = {
      teamId,
      sessionId: id,
      outcome: null,
      tool: null,
      undelivered: null,
      beforeId: null,
      limit,
    }
    const [rows, page] = await Promise.all([
      read.readNumberedEntries({ teamId, numbers, maximumBytes: maxBytes }),
      id.includes('\0') ? { calls: [] } : read.readCallsPage({ ...anyCall, ...named }),
    ])
    const items = [
      ...rows.map(row => sessions.writeEntryItem(teamId, row, book)),
      ...page.calls
        .filter(
          ({ client }) => tool === null || client.tool === tool || nameToolFamily(client.tool) === family,
        )
        .slice(0, maxItems)
        .map(call => sessions.writeCallItem(call, null)),
    ]
    return new Map(items.map(item => [item.ref, JSON.stringify(item)]))
  }
}

/** `tool`: null for the sessions with this id of all tools; two tools may each have one. */
export type SessionTopic = {
  readonly teamId: string
  readonly sessionId: string
  readonly tool: string | null
}

const sessionTopic = /^session:([A-Za-z0-9][A-Za-z0-9._-]*)\/([!-+\-->@-~]+)(?:\?tool=([!-+\-->@-~]+))?$/

/** Null if it names no session. Id and tool are written as in an address, so that they have neither commas nor line breaks. */
export function readSessionTopic(topic: string): SessionTopic | null {
  const [, teamId, written, tool] = sessionTopic.exec(topic) ?? []
  if (teamId === undefined || written === undefined) return null
  try {
    return {
      teamId,
      sessionId: decodeURIComponent(written),
      tool: tool === undefined ? null : decodeURIComponent(tool),
    }
  } catch {
    return null
  }
}
