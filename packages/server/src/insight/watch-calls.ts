// The topics `calls` and `calls:{team}`: what has come on record since the last look, in batches, and the number alone where it is too much to read.
import type { LiveCall } from '@fairgate/contracts/console/stream.ts'
import { mostLiveCalls } from '@fairgate/contracts/console/stream.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { Directory } from '../directory/create-directory.ts'
import { countTokens } from '../ledger/count-tokens.ts'
import { explainCall } from '../record/explain-call.ts'
import type { StoredCall } from '../store/statements/calls.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'

type WatchCallsDependencies = Pick<World, 'clock'> & {
  readonly read: Pick<Store['read'], 'readNewestCallIds' | 'readCallsById'>
  readonly directory: Pick<Directory, 'findKeyName'>
}

/** A call comes on record when it ends, and its place is by its beginning: among so many of the newest it is found. */
const window = 500
const keptBatches = 10
/** Nobody has read for so long: what has come meanwhile is not news. */
const idleMs = 15_000

type Watch = { known: ReadonlySet<string>; batch: number; readAt: number; texts: ReadonlyMap<string, string> }

export class CallsWatch {
  readonly #dependencies: WatchCallsDependencies
  /** By team; null for all. */
  readonly #watches = new Map<string | null, Watch>()

  constructor(dependencies: WatchCallsDependencies) {
    this.#dependencies = dependencies
  }

  /** Number of a batch → its JSON, for the newest ones. Rejects with StoreUnavailable. */
  async read(teamId: string | null): Promise<ReadonlyMap<string, string>> {
    const { read, clock } = this.#dependencies
    const now = clock()
    const ids = await read.readNewestCallIds({ teamId, limit: window })
    const last = this.#watches.get(teamId)
    const isFirst = last === undefined || now - last.readAt > idleMs
    // What was older than everything in the window before is in it now because others were deleted.
    const fresh = isFirst ? ids.slice(0, mostLiveCalls) : ids.filter(id => !last.known.has(id))
    this.#forget(now)
    if (!isFirst && fresh.length === 0) {
      this.#watches.set(teamId, { ...last, readAt: now })
      return last.texts
    }
    const calls = fresh.length > mostLiveCalls ? [] : await read.readCallsById({ callIds: fresh })
    const batch = (last?.batch ?? 0) + 1
    const items = calls
      .toSorted((left, right) => (left.callId > right.callId ? -1 : 1))
      .map(call => this.#write(call))
    const text = JSON.stringify({ batch, count: fresh.length, items })
    const before = isFirst ? [] : [...last.texts].slice(1 - keptBatches)
    const texts = new Map([...before, [String(batch), text]])
    this.#watches.set(teamId, { known: new Set(ids), batch, readAt: now, texts })
    return texts
  }

  #forget(now: number): void {
    for (const [teamId, { readAt }] of this.#watches)
      if (now - readAt > 20 * idleMs) this.#watches.delete(teamId)
  }

  #write(call: StoredCall): LiveCall {
    const { input, output } = countTokens(call.units)
    return {
      call_id: call.callId,
      team_id: call.teamId,
      received_at: isoTime(call.receivedAt),
      ended_at: isoTime(call.endedAt),
      endpoint: call.endpoint,
      model: call.modelServed ?? call.modelAsked,
      outcome: call.outcome,
      code: call.code,
      explanation: explainCall(call),
      input_tokens: input,
      output_tokens: output,
      cost_nano: call.cost,
      duration_ms: call.durationMs,
      count: call.count,
      key: call.keyHash,
      key_alias: this.#dependencies.directory.findKeyName(call.keyHash)?.alias ?? null,
      tool: call.client.tool,
      session_id: call.client.sessionId,
    }
  }
}
