// Decides what is on a page of a session: its entries and calls in the order of their times, from any place in both directions.

import Type from 'typebox'
import * as pages from '../directory/pages.ts'
import { refuseValue } from '../directory/refusals.ts'
import type { EntryPlace } from '../record/session-book.ts'

/** A place in the order of a session: by time (Unix ms, with fractions), then entries before calls, then by number or id. */
export type ItemPlace =
  | { readonly at: number; readonly seq: number }
  | { readonly at: number; readonly callId: string }

/** `at`: null for the end of the session. */
export type PageStart = { readonly direction: 'later' | 'earlier'; readonly place: ItemPlace | null }

export function comparePlaces(left: ItemPlace, right: ItemPlace): number {
  if (left.at !== right.at) return left.at - right.at
  if ('seq' in left && 'seq' in right) return left.seq - right.seq
  if ('seq' in left) return -1
  if ('seq' in right) return 1
  return left.callId < right.callId ? -1 : left.callId > right.callId ? 1 : 0
}

/** The first items of a sorted list after a place, at most `most`, nearest first. */
export function takeBehind<Place extends ItemPlace>(
  sorted: readonly Place[],
  { direction, place }: PageStart,
  most: number,
): Place[] {
  if (direction === 'later') {
    const start = place === null ? 0 : countUpTo(sorted, place, true)
    return sorted.slice(start, start + most)
  }
  const end = place === null ? sorted.length : countUpTo(sorted, place, false)
  return sorted.slice(Math.max(0, end - most), end).reverse()
}

/** The number of items before the place, or with `isInclusive` before it or at it. */
function countUpTo(sorted: readonly ItemPlace[], place: ItemPlace, isInclusive: boolean): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    const other = sorted[middle]
    const order = other === undefined ? 1 : comparePlaces(other, place)
    if (order < 0 || (isInclusive && order === 0)) low = middle + 1
    else high = middle
  }
  return low
}

/** The time at the start of an id (UUID version 7), in Unix ms: calls are read in the order of their ids. */
export function placeCall(callId: string, receivedAt: number): { at: number; callId: string } {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-/.exec(callId) ?? []
  const at = high === undefined || low === undefined ? receivedAt : Number.parseInt(high + low, 16)
  return { at, callId }
}

/** Throws ApiError `invalid_request` if the query names two places; null for one in the middle of the page. */
export function readStart(query: {
  readonly after?: string
  readonly before?: string
  readonly around?: number
  readonly from_end?: boolean
}): PageStart | null {
  const { after, before, around, from_end: isFromEnd = false } = query
  const named = [after, before, around, isFromEnd || undefined].filter(value => value !== undefined)
  if (named.length > 1)
    throw refuseValue('after', 'use only one of `after`, `before`, `around` and `from_end`.')
  if (around !== undefined) return null
  if (after !== undefined) return { direction: 'later', place: readPlace('after', after) }
  if (before !== undefined) return { direction: 'earlier', place: readPlace('before', before) }
  return { direction: isFromEnd ? 'earlier' : 'later', place: null }
}

export function writePlace(place: ItemPlace): string {
  return pages.writePlace([place.at, 'seq' in place ? place.seq : place.callId])
}

const callIdSchema = Type.String({ pattern: '^[0-9a-f-]{36}$' })
const itemPlace = Type.Tuple([Type.Number(), Type.Union([pages.placeNumber, callIdSchema])])

function readPlace(param: string, text: string): ItemPlace {
  const message = 'it is not a place from a page.'
  const [at, own] = pages.readPlace(itemPlace, text, { param, message })
  return typeof own === 'number' ? { at, seq: own } : { at, callId: own }
}

/** The place just before an entry: a page from there begins with it. */
export function justBefore({ at, seq }: EntryPlace): ItemPlace {
  return { at, seq: seq - 1 }
}
