// The topics `calls` and `calls:{team}`: calls recorded since the last look, in batches, or only their number if there are too many to read.
import type { LiveCall } from '@fairgate/contracts/console/stream.ts'
import { maxLiveCalls } from '@fairgate/contracts/console/stream.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { Directory } from '../directory/create-directory.ts'
import { countTokens } from '../ledger/count-tokens.ts'
import { explainCall } from '../record/explain-call.ts'
import type { StoredCall } from '../store/statements/calls.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'
import { LiveBatches } from './live-batches.ts'

/** A call is recorded when it ends, but is ordered by its beginning: among so many of the newest it is found. */
const window = 500

/** For a team, null for all: number of a batch → its JSON, for the newest ones. Rejects with StoreUnavailable. */
export function watchCalls({
  read,
  directory,
  clock,
}: Pick<World, 'clock'> & {
  readonly read: Pick<Store['read'], 'readNewestCallIds' | 'readCallsById'>
  readonly directory: Pick<Directory, 'findKeyName'>
}): (teamId: string | null) => Promise<ReadonlyMap<string, string>> {
  const batches = new LiveBatches<ReadonlySet<string>>()
  return async teamId => {
    const now = clock()
    const ids = await read.readNewestCallIds({ teamId, limit: window })
    const known = batches.last(teamId, now)
    // Calls older than everything in the previous window are in this one only because others were deleted.
    const fresh = known === null ? ids.slice(0, maxLiveCalls) : ids.filter(id => !known.has(id))
    if (known !== null && fresh.length === 0) return batches.repeat(teamId, now)
    const calls = fresh.length > maxLiveCalls ? [] : await read.readCallsById({ callIds: fresh })
    const items = calls
      .toSorted((left, right) => (left.callId > right.callId ? -1 : 1))
      .map(call => writeCall(call, directory))
    return batches.add(teamId, now, new Set(ids), { count: fresh.length, items })
  }
}

function writeCall(call: StoredCall, { findKeyName }: Pick<Directory, 'findKeyName'>): LiveCall {
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
    key_alias: findKeyName(call.keyHash)?.alias ?? null,
    tool: call.client.tool,
    session_id: call.client.sessionId,
  }
}
