// Interprets a reply to POST /api/ingest for the entries that were sent (spec 4.2, 7).
import type { Rejection } from '@fairgate/contracts/logbook/ingest.ts'
import { isObject, memberAt, textOf } from '../json/members.ts'
import type { LogbookReply } from './call-logbook.ts'

/** Why sending stopped. The entries are kept in every case. */
export type StopReason =
  | 'unauthorized'
  | 'locked'
  | 'busy'
  | 'unreachable'
  | 'timeout'
  | 'redirected'
  | 'not a logbook'
  | 'unavailable'

export type Judgement =
  /** All entries except those of `rejected` are in the logbook; `duplicates` were there before. `teamId` is null if the logbook does not name it. */
  | {
      readonly kind: 'accepted'
      readonly rejected: readonly Rejection[]
      readonly duplicates: number
      readonly teamId: string | null
    }
  /** An entry of this batch, or its size, is at fault. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  | {
      readonly kind: 'stop'
      readonly reason: StopReason
      readonly message: string
      readonly retryAfterMs: number | null
    }

export function judgeReply(reply: LogbookReply, count: number): Judgement {
  const stop = (reason: StopReason, message: string, retryAfterMs: number | null = null): Judgement => ({
    kind: 'stop',
    reason,
    message,
    retryAfterMs,
  })
  if (reply.kind !== 'reply') return stop(reply.kind, reply.message)
  const { status, retryAfterMs } = reply
  if (status === 202) return judgeAccepted(reply, count) ?? stop('not a logbook', 'the reply makes no sense')
  const error = memberAt(reply.body, 'error')
  if (status === 401) return stop('unauthorized', 'the logbook does not know the log token')
  if (status === 403) return stop('locked', "the team's board is locked")
  if (status === 400 || status === 413 || status === 422)
    return {
      kind: 'refused',
      code: textOf(error, 'code') ?? 'refused',
      message: textOf(error, 'message') ?? `the logbook answered ${status}`,
    }
  if (status === 429) return stop('busy', 'the logbook asks to wait', retryAfterMs)
  if (status >= 500 || status === 408 || status === 425)
    return stop('unavailable', `the logbook answered ${status}`, retryAfterMs)
  if (status >= 300 && status < 400) return stop('redirected', 'the address of the logbook leads elsewhere')
  return stop('not a logbook', `the address of the logbook answered ${status}`)
}

/**
 * The specification defines only the status of success. So a reply without a body counts. A body must be JSON, and its figures
 * must fit what was sent. null: it does not count.
 */
function judgeAccepted(reply: LogbookReply & { kind: 'reply' }, count: number): Judgement | null {
  const { teamId } = reply
  if (reply.isEmpty) return { kind: 'accepted', rejected: [], duplicates: 0, teamId }
  if (!isObject(reply.body)) return null
  const { received, rejected = [], duplicates = 0 } = reply.body
  if (received !== undefined && received !== count) return null
  if (!Array.isArray(rejected)) return null
  const known = rejected.filter(isRejection).filter(({ index }) => index < count)
  if (known.length !== rejected.length || !isCount(duplicates) || duplicates > count - known.length)
    return null
  return { kind: 'accepted', rejected: known, duplicates, teamId }
}

function isRejection(value: unknown): value is Rejection {
  if (!isObject(value)) return false
  const { index, code, message } = value
  return isCount(index) && typeof code === 'string' && typeof message === 'string'
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}
