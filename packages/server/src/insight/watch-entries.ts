// The topics `entries` and `entries:{team}`: entries logged since the last look, in batches, or only their number if there are too many to read.
import { maxLiveEntries } from '@fairgate/contracts/console/stream.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import { formatMicroseconds } from '../logbook/parse-instant.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'
import { writeLine } from './describe-entry.ts'
import { LiveBatches } from './live-batches.ts'

/** Limit of a batch, plus one entry for each team that is begun. The rest comes with the next look. */
const maxBytes = 1024 * 1024

/** The last number of each team. */
type Heads = ReadonlyMap<string, number>
type Growth = { readonly teamId: string; readonly afterSeq: number; readonly throughSeq: number }
type EntriesReads = Pick<Store['read'], 'listBoards' | 'readEntriesBetween'>
type Reported = ReadonlyMap<string | null, ReadonlyMap<string, string>>

/**
 * For each of these teams, null for all: number of a batch → its JSON, for the newest ones. Each entry is sent once: a board counts its
 * entries in the order of their commits, whichever process wrote them. Rejects with StoreUnavailable.
 */
export function watchEntries({
  read,
  clock,
}: Pick<World, 'clock'> & { readonly read: EntriesReads }): (
  teamIds: readonly (string | null)[],
) => Promise<Reported> {
  const batches = new LiveBatches<Heads>()
  const readOne = async (teamId: string | null, heads: Heads): Promise<ReadonlyMap<string, string>> => {
    const now = clock()
    const own: Heads = teamId === null ? heads : new Map([[teamId, heads.get(teamId) ?? 0]])
    const last = batches.last(teamId, now)
    // Existing entries are in `GET /logbook`. An empty batch shows a reader from when on new ones are sent, so that it can read the list again.
    if (last === null) return batches.add(teamId, now, own, { count: 0, items: [] })
    const grown = [...own].flatMap(([id, throughSeq]): Growth[] => {
      const afterSeq = last.get(id) ?? 0
      return throughSeq > afterSeq ? [{ teamId: id, afterSeq, throughSeq }] : []
    })
    const count = grown.reduce((sum, { afterSeq, throughSeq }) => sum + throughSeq - afterSeq, 0)
    if (count === 0) return batches.repeat(teamId, now)
    const { items, reached } =
      count > maxLiveEntries ? { items: [], reached: own } : await readItems(read, grown, last)
    return batches.add(teamId, now, reached, { count: items.length === 0 ? count : items.length, items })
  }
  return async teamIds => {
    const boards = await read.listBoards()
    const heads: Heads = new Map(boards.map(({ teamId, headSeq }) => [teamId, headSeq]))
    const reported = new Map<string | null, ReadonlyMap<string, string>>()
    for (const teamId of teamIds) reported.set(teamId, await readOne(teamId, heads))
    return reported
  }
}

/** The entry that was stored last comes first. `heads`: sent before; `reached`: sent including these. */
async function readItems(read: EntriesReads, grown: readonly Growth[], heads: Heads) {
  const reached = new Map(heads)
  const found = []
  let bytesLeft = maxBytes
  for (const growth of grown) {
    if (bytesLeft <= 0) break
    const bounds = { limit: maxLiveEntries, maximumBytes: bytesLeft, toolKey: null, eventKey: null }
    const { rows } = await read.readEntriesBetween({ ...growth, ...bounds })
    reached.set(growth.teamId, rows.at(-1)?.seq ?? growth.throughSeq)
    for (const row of rows) {
      bytesLeft -= row.bodyBytes
      found.push({ teamId: growth.teamId, row })
    }
  }
  const items = found
    .sort((left, right) => right.row.receivedMicros - left.row.receivedMicros || right.row.seq - left.row.seq)
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
  return { items, reached }
}
