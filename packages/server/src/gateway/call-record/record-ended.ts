// Builds the record of a call that ended without a charge.
import type { Route } from '../../http/route.ts'
import type { CallOutcome, CallRecord } from '../../ledger/call-record.ts'
import type { World } from '../../world/world.ts'
import { describeClient, readModel } from './describe-client.ts'

export type RecordDependencies = Pick<World, 'clock' | 'stopwatch'> & {
  /** Never throws or waits. */
  readonly recordUncharged: (call: CallRecord) => void
}

type Credential = {
  readonly team: { readonly teamId: string }
  readonly key: { readonly keyHash: string }
}

/** Records calls on paid routes that were not charged. An answer without a charge was first given to a call with the same Idempotency-Key. */
export function recordEnded<Caller extends Credential>(
  { path, isPaid = false }: Pick<Route<Caller>, 'path' | 'isPaid'>,
  { recordUncharged, clock, stopwatch }: RecordDependencies,
): Pick<Route<Caller>, 'ended'> {
  if (!isPaid) return {}
  const endpoint = nameEndpoint(path)
  return {
    ended: ({ team, key }, call, { status, error }) => {
      const now = clock()
      const durationMs = stopwatch() - call.startedAt
      const receivedAt = Math.round(now - durationMs)
      recordUncharged({
        callId: call.callId,
        teamId: team.teamId,
        keyHash: key.keyHash,
        endpoint,
        modelAsked: readModel(call),
        modelServed: null,
        outcome: outcomeOf(error !== null, status),
        code: error?.code ?? null,
        status,
        refusal: error?.refusal ?? null,
        units: {},
        cost: 0,
        flag: null,
        receivedAt,
        endedAt: now,
        durationMs: Math.round(durationMs),
        firstByteMs: null,
        upstream: null,
        upstreamKey: null,
        client: describeClient(call.request.headers, call.remoteAddress, call.body),
        texts: null,
        count: 1,
        lastAt: receivedAt,
      })
    },
  }
}

/** For a call that was not charged. */
export function outcomeOf(isError: boolean, status: number): CallOutcome {
  if (!isError) return 'replayed'
  if (status === 499) return 'client_closed'
  return status >= 500 ? 'failed' : 'refused'
}

const names: Readonly<Record<string, string>> = {
  '/v1/chat/completions': 'chat',
  '/v1/responses': 'responses',
  '/v1/messages': 'messages',
  '/v1/images/generations': 'images',
  '/v1/images/edits': 'images',
  '/v1/responses/compact': 'responses',
  '/v1/audio/speech': 'speech',
  '/v1/audio/transcriptions': 'transcription',
  '/v1/embeddings': 'embeddings',
  '/v1/videos': 'videos',
}

/** Pass-through paths end in their verb. */
export function nameEndpoint(path: string): string {
  const verb = /:([A-Za-z]+)$/.exec(path)?.[1]
  const named = names[path] ?? names[`/v1${path}`]
  if (named !== undefined) return named
  if (verb === undefined) return path
  return verb === 'streamGenerateContent' ? 'generateContent' : verb
}
