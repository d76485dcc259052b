// Makes a paid route safe to repeat: with an Idempotency-Key one call is made and charged, and its answer is replayed.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest, unavailable } from '@fairgate/contracts/errors/refusals.ts'
import Type from 'typebox'
import type { Call } from '../../http/call.ts'
import type { Route } from '../../http/route.ts'
import { eventsOf } from '../../http/server-sent-events.ts'
import { toApiError, writeError } from '../../http/write-error.ts'
import type { ClaimOutcome, IdempotentCall, StoredReply } from '../../store/statements/idempotent-calls.ts'
import type { Store } from '../../store/store.ts'
import { type LedgerHealth, requireLedger } from '../flow/admit.ts'
import type { Caller } from '../flow/authenticate.ts'
import { createFreeCall, type FreeCallDependencies } from '../flow/free-call.ts'
import { CallEnds } from './call-ends.ts'
import { digestBody } from './digest-body.ts'
import { LateAnswer } from './late-answer.ts'
import { type RecordingBounds, recordStream } from './record-stream.ts'

export type IdempotencyDependencies = FreeCallDependencies &
  LedgerHealth & {
    readonly idempotentCalls: {
      readonly read: Pick<Store['read'], 'readIdempotentReply'>
      readonly write: Pick<Store['write'], 'claimIdempotentCall' | 'endIdempotentCall'>
    }
    /** Resolves after a moment; with false if the server stops. */
    readonly waitToRetry: () => Promise<boolean>
    /** Id of this process. */
    readonly processId: () => string
    readonly recording: RecordingBounds
    /** Refunds the rest of a call's charge if its answer is lost. */
    readonly refundLostAnswer: (callId: string) => Promise<void>
    readonly reportUnkeptReply: (error: unknown, callId: string) => void
  }

const remembered = 24 * 60 * 60 * 1000

/** Both spellings of a path are one; different segments or queries are not. */
function describeCall({ path }: Route<Caller>, { params, request }: Call<never, never>): string {
  const { search } = new URL(request.url)
  return [path, ...Object.values(params), ...(search === '' ? [] : [search])].join(' ')
}

/** An answer, and the moment from which the memory, and no longer this process, answers for its key. */
type Answer = { readonly response: Response; readonly kept: Promise<void> }

/**
 * The returned function wraps routes; they share one memory of running calls. A wrapped route throws, besides its own errors,
 * ApiError `idempotency_running`, `idempotency_conflict` and `idempotency_lost`.
 */
export function createAcceptIdempotencyKey(dependencies: IdempotencyDependencies) {
  const { clock } = dependencies
  const { read, write } = dependencies.idempotentCalls
  const freeCall = createFreeCall(dependencies)
  const ends = new CallEnds(dependencies)
  /** Calls of this process, by gateway key and Idempotency-Key. */
  const running = new Map<string, IdempotentCall>()

  return (route: Route<Caller>): Route<Caller> => {
    const handle: Route<Caller>['handle'] = (caller, call) => {
      // A dry run makes no call, so there is no answer to keep.
      const idempotencyKey = call.isDryRun ? null : readIdempotencyKey(call.request.headers)
      return idempotencyKey === null ? route.handle(caller, call) : handleOnce(caller, call, idempotencyKey)
    }

    async function handleOnce(
      caller: Caller,
      call: Call<never, never>,
      idempotencyKey: string,
    ): Promise<Response> {
      const repeatable: IdempotentCall = {
        teamId: caller.team.teamId,
        keyHash: caller.key.keyHash,
        idempotencyKey,
        route: describeCall(route, call),
        bodyDigest: await digestBody(call.body),
        callId: call.callId,
      }
      const scope = `${repeatable.keyHash} ${idempotencyKey}`
      const first = running.get(scope)
      if (first !== undefined) throw refuseDuplicate(first, repeatable)
      running.set(scope, repeatable)
      const late = new LateAnswer({
        bounds: dependencies.recording,
        pack: async response => packReply(response.status, response.headers, await response.bytes()),
        writeError: error => writeErrorOf(error, call.request, call.callId),
        note: reply => keep(repeatable, reply),
      })
      call.answerKeeper = late
      try {
        const { response, kept } = await answerOnce(caller, call, repeatable, late)
        void kept.then(() => running.delete(scope))
        return response
      } catch (error) {
        if (late.isKeeping) void late.ended.then(() => running.delete(scope))
        else running.delete(scope)
        throw error
      }
    }

    const writeErrorOf = route.writeError ?? route.family?.writeError ?? writeError

    async function answerOnce(
      caller: Caller,
      call: Call<never, never>,
      repeatable: IdempotentCall,
      late: LateAnswer,
    ): Promise<Answer> {
      const claim = await claimKey(repeatable)
      if (claim.kind === 'running') throw refuseRunning()
      if (claim.kind === 'conflict') throw new ApiError('idempotency_conflict')
      if (claim.kind === 'lost')
        throw new ApiError('idempotency_lost', { headers: { 'x-should-retry': 'false' } })
      if (claim.kind === 'answered')
        return { response: await replay(caller, call, claim.callId, repeatable), kept: Promise.resolve() }
      // The call no longer depends on its client: it runs to its end and is kept even if no one listens.
      const aborter = new AbortController()
      const clientSignal = call.signal
      call.detach(aborter.signal)
      let response: Response
      try {
        response = await route.handle(caller, call)
      } catch (thrown) {
        if (late.isKeeping) throw thrown
        const error = toApiError(thrown)
        const reply = writeErrorOf(error, call.request, call.callId)
        // A service that could not do its work has given no answer.
        await keep(
          repeatable,
          error.code === 'unavailable' ? null : packReply(reply.status, reply.headers, await reply.bytes()),
        )
        throw thrown
      }
      const { status, headers } = response
      const events = eventsOf(response)
      if (events !== undefined) {
        return recordStream(events, {
          ...dependencies.recording,
          headers: Object.fromEntries(headers),
          keep: body => keep(repeatable, body === null ? null : packReply(status, headers, body)),
          signal: clientSignal,
          stop: () => aborter.abort(),
        })
      }
      const body = await response.bytes().catch(async failure => {
        await keep(repeatable, null)
        throw failure
      })
      await keepWhole(repeatable, packReply(status, headers, body))
      return { response: new Response(body, { status, headers }), kept: Promise.resolve() }
    }

    return {
      ...route,
      isPaid: true,
      headers: idempotencyHeaders,
      errors: [...route.errors, ...errors],
      handle,
    }
  }

  /** A charge without an answer is refunded, and then the key is free. */
  async function claimKey(
    repeatable: IdempotentCall,
  ): Promise<Exclude<ClaimOutcome, { kind: 'unanswered' }>> {
    const claim = await tryClaim(repeatable, null)
    if (claim.kind !== 'unanswered') return claim
    await dependencies.refundLostAnswer(claim.callId)
    const again = await tryClaim(repeatable, claim.callId)
    return again.kind === 'unanswered' ? { kind: 'running' } : again
  }

  async function tryClaim(repeatable: IdempotentCall, refundedCallId: string | null) {
    // A charge that waits to be written would be mistaken for none, and the call made twice.
    await requireLedger(dependencies)
    const now = clock()
    const claim = {
      call: repeatable,
      refundedCallId,
      processId: dependencies.processId(),
      now,
      expiresAt: now + remembered,
    }
    return write.claimIdempotentCall(claim).catch(cause => {
      // The reply to a commit can be lost although it succeeded: the key would count as a running call's.
      ends.noteLater({ call: placeOf(repeatable), reply: null })
      throw unavailable(5, cause)
    })
  }

  /** An answer that cannot be kept is sent anyway: it is charged. */
  function keep(repeatable: IdempotentCall, reply: StoredReply | null): Promise<void> {
    return ends.note({ call: placeOf(repeatable), reply })
  }

  /** On its way to the store an answer is in memory twice, so no more answers at once than may be recorded. */
  async function keepWhole(repeatable: IdempotentCall, reply: StoredReply): Promise<void> {
    const { maxBytes, recordedBytes } = dependencies.recording
    const { byteLength } = reply.body
    if (byteLength > maxBytes || !recordedBytes.take(byteLength)) return keep(repeatable, null)
    await keep(repeatable, reply)
    recordedBytes.give(byteLength)
  }

  function replay(
    caller: Caller,
    call: Call<never, never>,
    callId: string,
    repeatable: IdempotentCall,
  ): Promise<Response> {
    const { teamId } = repeatable
    call.note({ team_id: teamId, key_name: caller.key.keyName, replayed_call: callId })
    return freeCall(caller, call, async rates => {
      const place = { ...placeOf(repeatable), callId }
      const reply = await read.readIdempotentReply(place).catch(cause => {
        throw unavailable(5, cause)
      })
      if (reply === null) throw unavailable(1)
      const own = { 'idempotent-replayed': 'true', 'x-gateway-original-call-id': callId }
      return unpackReply(reply, { ...rates, ...own })
    })
  }
}

const errors = ['idempotency_running', 'idempotency_lost', 'idempotency_conflict'] as const

function placeOf({ teamId, keyHash, idempotencyKey, callId }: IdempotentCall) {
  return { teamId, keyHash, idempotencyKey, callId }
}

const refuseRunning = () => new ApiError('idempotency_running', { headers: { 'retry-after': '1' } })

function refuseDuplicate(first: IdempotentCall, repeatable: IdempotentCall): ApiError {
  const isSame = first.route === repeatable.route && first.bodyDigest === repeatable.bodyDigest
  return isSame ? refuseRunning() : new ApiError('idempotency_conflict')
}

/** The request header that names a call so that it can be repeated safely. */
const keyHeader = 'Idempotency-Key'
const printable = /^[\x20-\x7e]{1,255}$/

const idempotencyHeaders = Type.Object({
  [keyHeader]: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'Makes the call safe to repeat for 24 hours: a repeat gets the first answer (`idempotent-replayed: true`) and is not charged again. Use each key for one path and body.',
    }),
  ),
})

/** Null without the header. Throws ApiError `invalid_request` unless it has 1 to 255 printable ASCII characters. */
function readIdempotencyKey(headers: Headers): string | null {
  const key = headers.get(keyHeader)
  if (key === null || printable.test(key)) return key
  throw invalidRequest(keyHeader, `${keyHeader} must have 1 to 255 printable ASCII characters.`)
}

/** A reply in stored form. What is left of the windows is not part of it. */
function packReply(status: number, headers: Headers, body: Uint8Array): StoredReply {
  const kept = [...headers].filter(([name]) => !name.startsWith('x-ratelimit-'))
  return { status, headers: JSON.stringify(Object.fromEntries(kept)), body }
}

/** A replayed reply. `headers` override those of the first answer. */
function unpackReply(reply: StoredReply, headers: Readonly<Record<string, string>>): Response {
  // Written by `packReply` only.
  const kept = JSON.parse(reply.headers) as Record<string, string>
  return new Response(reply.body, { status: reply.status, headers: { ...kept, ...headers } })
}
