// The topics `entries` and `entries:{team}`: what has been logged since the last look, in batches, and the number alone where it is too much to read.
import { mostLiveEntries } from '@fairgate/contracts/console/stream.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import { formatMicroseconds } from '../logbook/parse-instant.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'
import { writeLine } from './describe-entry.ts'

type WatchEntriesDependencies = Pick<World, 'clock'> & {
  readonly read: Pick<Store['read'], 'listBoards' | 'readEntriesBetween'>
}

const keptBatches = 10
/** Nobody has read for so long: what has come meanwhile is not news. */
const idleMs = 15_000
/** Of a batch, and one entry more for each team that is begun. What is beyond it is told with the next look. */
const mostBytes = 1024 * 1024

type Heads = ReadonlyMap<string, number>
type Watch = {
  /** The last number of each team that has been told. */
  readonly heads: Heads
  readonly batch: number
  readonly readAt: number
  readonly texts: ReadonlyMap<string, string>
}
type Growth = { readonly teamId: string; readonly afterSeq: number; readonly throughSeq: number }

export class EntriesWatch {
  readonly #dependencies: WatchEntriesDependencies
  /** By team; null for all. */
  readonly #watches = new Map<string | null, Watch>()

  constructor(dependencies: WatchEntriesDependencies) {
    this.#dependencies = dependencies
  }

  /**
   * For each of these teams, null for all: number of a batch → its JSON, for the newest ones. Each entry is told once: a board counts
   * its entries in the order of their commits, whichever process wrote them. Rejects with StoreUnavailable.
   */
  async read(
    teamIds: readonly (string | null)[],
  ): Promise<ReadonlyMap<string | null, ReadonlyMap<string, string>>> {
    const boards = await this.#dependencies.read.listBoards()
    const heads: Heads = new Map(boards.map(({ teamId, headSeq }) => [teamId, headSeq]))
    const told = new Map<string | null, ReadonlyMap<string, string>>()
    for (const teamId of teamIds) told.set(teamId, await this.#readOne(teamId, heads))
    this.#forget()
    return told
  }

  async #readOne(teamId: string | null, heads: Heads): Promise<ReadonlyMap<string, string>> {
    const readAt = this.#dependencies.clock()
    const own: Heads = teamId === null ? heads : new Map([[teamId, heads.get(teamId) ?? 0]])
    const last = this.#watches.get(teamId)
    if (last === undefined || readAt - last.readAt > idleMs) {
      // What is there stands in `GET /logbook`. An empty batch tells a reader from when on it is told of more, so that it can read that again.
      const batch = (last?.batch ?? 0) + 1
      const texts = new Map([[String(batch), JSON.stringify({ batch, count: 0, items: [] })]])
      this.#watches.set(teamId, { heads: own, batch, readAt, texts })
      return texts
    }
    const grown = [...own].flatMap(([id, throughSeq]): Growth[] => {
      const afterSeq = last.heads.get(id) ?? 0
      return throughSeq > afterSeq ? [{ teamId: id, afterSeq, throughSeq }] : []
    })
    const count = grown.reduce((sum, { afterSeq, throughSeq }) => sum + throughSeq - afterSeq, 0)
    if (count === 0) {
      this.#watches.set(teamId, { ...last, readAt })
      return last.texts
    }
    const { items, heads: reached } =
      count > mostLiveEntries ? { items: [], heads: own } : await this.#readItems(grown, last.heads)
    const batch = last.batch + 1
    const text = JSON.stringify({ batch, count: items.length === 0 ? count : items.length, items })
    const texts = new Map([...[...last.texts].slice(1 - keptBatches), [String(batch), text] as const])
    this.#watches.set(teamId, { heads: reached, batch, readAt, texts })
    return texts
  }

  /** The one that was stored last comes first. `heads`: what has been told before; answered: what has been told with these. */
  async #readItems(grown: readonly Growth[], heads: Heads) {
    const reached = new Map(heads)
    const found = []
    let bytesLeft = mostBytes
    for (const growth of grown) {
      if (bytesLeft <= 0) break
      const bounds = { limit: mostLiveEntries, maximumBytes: bytesLeft, toolKey: null, eventKey: null }
      const { rows } = await this.#dependencies.read.readEntriesBetween({ ...growth, ...bounds })
      reached.set(growth.teamId, rows.at(-1)?.seq ?? growth.throughSeq)
      for (const row of rows) {
        bytesLeft -= row.bodyBytes
        found.push({ teamId: growth.teamId, row })
      }
    }
    const items = found
      .sort(
        (left, right) => right.row.receivedMicros - left.row.receivedMicros || right.row.seq - left.row.seq,
      )
      .map(({ teamId, row }) =>
        writeLine({
          teamId,
          seq: row.seq,
          ts: formatMicroseconds(row.tsMicros),
          receivedAt: isoTime(Math.floor(row.receivedMicros / 1000)),
          isLate: row.late === 1,
          body: row.body,
        }),
      )
    return { items, heads: reached }
  }

  #forget(): void {
    const now = this.#dependencies.clock()
    for (const [teamId, { readAt }] of this.#watches)
      if (now - readAt > 20 * idleMs) this.#watches.delete(teamId)
  }
}
