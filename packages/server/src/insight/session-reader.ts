// Reads one session for people: its figures, and its entries and calls page by page, from the log, the coverage and the call records.
import {
  defaultItemsPage,
  gapMs,
  maxGaps,
  maxItemBytes,
  otherTool,
  type SessionItem,
  type SessionItemsQuery,
  type SessionItemsReply,
  type SessionView,
} from '@fairgate/contracts/console/session-view.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { Directory } from '../directory/create-directory.ts'
import { refuseValue } from '../directory/refusals.ts'
import { formatMicroseconds } from '../logbook/parse-instant.ts'
import { type CoverageReader, everyCall, sessionOf, type TeamCoverage } from '../record/coverage-reader.ts'
import { explainCall } from '../record/explain-call.ts'
import { coveredClasses, type JudgedCall } from '../record/judge-calls.ts'
import { listGaps, mergeSpans, type Span, sumSpans } from '../record/merge-spans.ts'
import { type EntryPlace, type SessionBook, type SessionRecord, sessionKey } from '../record/session-book.ts'
import type { StoredCall } from '../store/statements/calls.ts'
import type { EntryRow } from '../store/statements/list-entries.ts'
import type { Store } from '../store/store.ts'
import { cutEntry } from './cut-entry.ts'
import { listMembers } from './list-members.ts'
import { mergePages } from './merge-pages.ts'
import {
  comparePlaces,
  type ItemPlace,
  justBefore,
  type PageStart,
  placeCall,
  readStart,
  takeBehind,
  writePlace,
} from './session-pages.ts'

export type SessionReaderDependencies = {
  readonly coverage: Pick<CoverageReader, 'read' | 'readRecent' | 'readBook'>
  readonly read: Pick<Store['read'], 'readNumberedEntries' | 'readCallsOf' | 'readNamedRefusals'>
  readonly directory: Pick<Directory, 'findKeyName' | 'findLogTokenById' | 'findMember'>
  /** Replaces what the reader must not see in an entry, before it is cut. Absent: entries as stored. */
  readonly coverEntry?: (teamId: string, entry: object) => object
}

type PlacedCall = { readonly at: number; readonly callId: string; readonly judged: JudgedCall }
type PlacedRefusal = { readonly at: number; readonly callId: string; readonly refusal: StoredCall }

/** A session as the log and the calls show it at one moment. */
export type Session = {
  readonly teamId: string
  readonly id: string
  readonly tool: string | null
  /** Null for a session that only calls name. */
  readonly record: SessionRecord | null
  readonly book: Pick<SessionBook, 'isLate'>
  /** Correction to add to the times of its entries. */
  readonly lagMs: number
  readonly clockBehindMs: number
  /** By the server's clock (Unix ms). */
  readonly firstAt: number
  readonly lastAt: number
  /** In order. */
  readonly calls: readonly PlacedCall[]
  /** When the calls were read (Unix ms). */
  readonly asOf: number
}

type PlacedItem = { readonly place: ItemPlace; readonly item: SessionItem }

export type ItemsPage = {
  readonly items: readonly PlacedItem[]
  /** Where to continue; null if nothing is left. */
  readonly earlier: ItemPlace | null
  readonly later: ItemPlace | null
}

/** The stored bytes of one page. */
const maxPageBytes = 1024 * 1024
/** Calls that a page searches for refused ones. */
const maxLookedAt = 5000
/** A refused call that names the session belongs to it for this long before its first and after its last item. */
const nearMs = 600_000

export class SessionReader {
  readonly #dependencies: SessionReaderDependencies

  constructor(dependencies: SessionReaderDependencies) {
    this.#dependencies = dependencies
  }

  /** Throws ApiError `session_not_found`, and `invalid_request` if two tools have the id. */
  async find(
    teamId: string,
    id: string,
    tool: string | undefined,
    how: 'newest' | 'recent',
  ): Promise<Session> {
    const { coverage } = this.#dependencies
    const found = await (how === 'newest' ? coverage.read : coverage.readRecent).call(
      coverage,
      teamId,
      everyCall,
    )
    const book = await coverage.readBook(teamId)
    const own = groupCalls(found, id)
    const keys = [...new Set([...book.keysOf(id), ...own.keys()])]
    const fitting = keys.filter(
      key => tool === undefined || key === sessionKey(tool === otherTool ? null : tool, id),
    )
    const [key] = fitting
    if (key === undefined)
      throw new ApiError('session_not_found', {
        param: 'session_id',
        message: `The team has no session ${JSON.stringify(id)}${tool === undefined ? '' : ' of this tool'}.`,
      })
    if (fitting.length > 1)
      throw refuseValue('tool', `${fitting.length} tools have a session with this id. Name the tool.`)
    const record = book.find(key)
    const calls = (own.get(key) ?? []).toSorted(comparePlaces)
    const { lag: lagMs = 0, clockBehind = 0 } = found.logged.find(session => session.key === key) ?? {}
    const times = [
      ...(record === null
        ? []
        : [record.places[0], record.places.at(-1)].map(place => (place?.at ?? 0) + lagMs)),
      ...calls.flatMap(({ judged: { call } }) => [call.receivedAt, call.endedAt]),
    ]
    return {
      teamId,
      id,
      tool: record?.tool ?? calls[0]?.judged.call.tool ?? null,
      record,
      book,
      lagMs,
      clockBehindMs: clockBehind,
      firstAt: times.reduce((least, at) => Math.min(least, at)),
      lastAt: times.reduce((most, at) => Math.max(most, at)),
      calls,
      asOf: found.asOf,
    }
  }

  describe(session: Session): Omit<SessionView, 'as_of' | 'version'> {
    const { record, calls } = session
    const activity = listActivity(session)
    const costs = calls.map(({ judged: { call } }) => call.cost)
    const cost = sum(costs)
    const covered = sum(
      calls.filter(({ judged }) => coveredClasses.has(judged.class)).map(({ judged: { call } }) => call.cost),
    )
    return {
      team_id: session.teamId,
      session_id: session.id,
      tool: session.tool,
      students: [...(record?.students ?? [])],
      members: listMembers(record?.tokenIds ?? [], this.#dependencies.directory),
      repo: record?.repo ?? null,
      branch: record?.branch ?? null,
      first_at: isoTime(session.firstAt),
      last_at: isoTime(session.lastAt),
      active_ms: Math.round(sumSpans(activity)),
      prompts: record?.prompts ?? 0,
      entries: record?.places.length ?? 0,
      late: record?.late ?? 0,
      calls: calls.length,
      cost_nano: cost,
      coverage: cost === 0 ? null : Math.floor((covered / cost) * 10_000) / 10_000,
      classes: countClasses(calls),
      gaps: writeLongest(listGaps(activity), maxGaps).sort((left, right) =>
        left.from < right.from ? -1 : 1,
      ),
      clock_behind_ms: Math.round(session.clockBehindMs),
    }
  }

  async readPage(session: Session, start: PageStart, limit: number): Promise<ItemsPage> {
    const { teamId, record, calls } = session
    const isLater = start.direction === 'later'
    const inOrder = (left: ItemPlace, right: ItemPlace) => comparePlaces(left, right) * (isLater ? 1 : -1)
    const entries = takeBehind(record?.places ?? [], start, limit + 1)
    const judged = takeBehind(calls, start, limit + 1)
    const known = [...entries, ...judged].sort(inOrder)
    const refused = await this.#readRefused(session, start, known[limit]?.at ?? null)
    const { items: page, isLast } = mergePages<EntryPlace | PlacedCall | PlacedRefusal, ItemPlace>(
      [
        { items: known, knownTo: null },
        { items: refused.calls, knownTo: refused.lookedTo },
      ],
      inOrder,
      limit,
    )
    const wanted = page.flatMap(place => ('seq' in place ? place.seq : []))
    const [rows, records] = await Promise.all([
      this.#dependencies.read.readNumberedEntries({ teamId, numbers: wanted, maximumBytes: maxPageBytes }),
      this.#dependencies.read.readCallsOf({
        teamId,
        callIds: page.flatMap(place => ('judged' in place ? place.callId : [])),
      }),
    ])
    const items = this.#fill(session, page, {
      rows: new Map(rows.map(row => [row.seq, row])),
      calls: new Map(records.map(call => [call.callId, call])),
    })
    const isWhole = isLast && items.length === page.length
    const [nearest, farthest] = [items[0]?.place ?? null, items.at(-1)?.place ?? refused.lookedTo]
    const back = start.place === null ? null : nearest
    const on = isWhole ? null : farthest
    return isLater
      ? { items, earlier: back, later: on }
      : { items: items.toReversed(), earlier: on, later: back }
  }

  /** From any place, in both directions. Throws ApiError `invalid_request`, `session_not_found`, `entry_not_found`. Rejects with StoreUnavailable. */
  async readItems(
    teamId: string,
    sessionId: string,
    query: SessionItemsQuery,
  ): Promise<Omit<SessionItemsReply, 'version'>> {
    const start = readStart(query)
    const { limit = defaultItemsPage, around = 0 } = query
    const session = await this.find(teamId, sessionId, query.tool, 'recent')
    const page = await (start === null
      ? this.readAround(session, around, limit)
      : this.readPage(session, start, limit))
    const name = (place: ItemPlace | null | undefined) => (place == null ? null : writePlace(place))
    return {
      as_of: isoTime(session.asOf),
      items: page.items.map(({ item }) => item),
      previous: name(page.earlier),
      next: name(page.later),
      last: name(page.items.at(-1)?.place),
    }
  }

  /** With the entry in the middle. Throws ApiError `entry_not_found`. */
  async readAround(session: Session, seq: number, limit: number): Promise<ItemsPage> {
    const entry = session.record?.places.find(place => place.seq === seq)
    if (entry === undefined)
      throw new ApiError('entry_not_found', {
        param: 'around',
        message: `The session has no entry ${seq}.`,
      })
    const place = justBefore(entry)
    const half = Math.floor(limit / 2)
    const [earlier, later] = await Promise.all([
      half === 0
        ? { items: [], earlier: place, later: null }
        : this.readPage(session, { direction: 'earlier', place: entry }, half),
      this.readPage(session, { direction: 'later', place }, limit - half),
    ])
    return {
      items: [...earlier.items, ...later.items],
      earlier: earlier.earlier,
      later: later.later,
    }
  }

  /** Refused calls that name the session, from the start of the page to the last time on it (null: to the end of the session). */
  async #readRefused(
    { teamId, id, firstAt, lastAt }: Session,
    start: PageStart,
    endAt: number | null,
  ): Promise<{
    readonly calls: readonly PlacedRefusal[]
    readonly lookedTo: ItemPlace | null
  }> {
    const isLater = start.direction === 'later'
    const [outerFrom, outerUntil] = [firstAt - nearMs, lastAt + nearMs]
    const from = isLater ? (start.place?.at ?? outerFrom) : (endAt ?? outerFrom)
    const until = isLater ? (endAt ?? outerUntil) : (start.place?.at ?? outerUntil)
    const { calls, lookedTo } = await this.#dependencies.read.readNamedRefusals({
      teamId,
      sessionId: id,
      from: Math.max(from, outerFrom),
      until: Math.min(until, outerUntil) + 1,
      order: isLater ? 'oldest first' : 'newest first',
      maxRows: maxLookedAt,
    })
    return {
      calls: calls
        .map(refusal => ({ ...placeCall(refusal.callId, refusal.receivedAt), refusal }))
        .filter(({ at, callId }) => {
          if (start.place === null) return true
          const order = comparePlaces({ at, callId }, start.place)
          return isLater ? order > 0 : order < 0
        }),
      lookedTo: lookedTo === null ? null : placeCall(lookedTo, 0),
    }
  }

  /** Ends before the first entry that does not fit on the page. */
  #fill(
    { teamId, book }: Session,
    page: readonly (EntryPlace | PlacedCall | PlacedRefusal)[],
    found: {
      readonly rows: ReadonlyMap<number, EntryRow>
      readonly calls: ReadonlyMap<string, StoredCall>
    },
  ): PlacedItem[] {
    const items: PlacedItem[] = []
    for (const place of page) {
      if ('seq' in place) {
        const row = found.rows.get(place.seq)
        if (row === undefined) break
        items.push({ place: { at: place.at, seq: place.seq }, item: this.writeEntryItem(teamId, row, book) })
        continue
      }
      const judged = 'judged' in place ? place.judged : null
      const call = 'refusal' in place ? place.refusal : found.calls.get(place.callId)
      // A call with a record that was deleted for its age since the coverage was read.
      if (call === undefined) continue
      items.push({ place: { at: place.at, callId: place.callId }, item: this.writeCallItem(call, judged) })
    }
    return items
  }

  writeEntryItem(teamId: string, row: EntryRow, book: Pick<SessionBook, 'isLate'>): SessionItem {
    const { coverEntry } = this.#dependencies
    const body =
      coverEntry === undefined ? row.body : JSON.stringify(coverEntry(teamId, JSON.parse(row.body)))
    const { entry, isCut } = cutEntry(body, Buffer.byteLength(body), maxItemBytes)
    const event: unknown = Reflect.get(entry, 'event')
    return {
      kind: 'entry',
      at: isoTime(Math.floor(Math.min(row.tsMicros, row.receivedMicros) / 1000)),
      ref: `${teamId}#${row.seq}`,
      entry: {
        seq: row.seq,
        ts: formatMicroseconds(row.tsMicros),
        received_at: formatMicroseconds(row.receivedMicros),
        is_late: book.isLate(row.seq),
        token_id: row.tokenId,
        member_id: this.#memberOf(row.tokenId)?.memberId ?? null,
        event: typeof event === 'string' ? event : null,
        entry,
        more: isCut,
      },
      call: null,
    }
  }

  writeCallItem(call: StoredCall, judged: JudgedCall | null): SessionItem {
    return {
      kind: call.outcome === 'refused' ? 'refusal' : 'call',
      at: isoTime(call.receivedAt),
      ref: call.callId,
      entry: null,
      call: {
        call_id: call.callId,
        key: call.keyHash,
        key_alias: this.#dependencies.directory.findKeyName(call.keyHash)?.alias ?? null,
        endpoint: call.endpoint,
        model: call.modelServed ?? call.modelAsked,
        outcome: call.outcome,
        code: call.code,
        explanation: explainCall(call),
        units: { ...call.units },
        cost_nano: call.cost,
        received_at: isoTime(call.receivedAt),
        ended_at: isoTime(call.endedAt),
        duration_ms: call.durationMs,
        first_byte_ms: call.firstByteMs,
        count: call.count,
        class: judged?.class ?? null,
        by: judged?.by ?? null,
      },
    }
  }

  #memberOf(tokenId: string) {
    const { directory } = this.#dependencies
    const memberId = directory.findLogTokenById(tokenId)?.memberId ?? null
    return memberId === null ? undefined : directory.findMember(memberId)
  }
}

/** Key of a session with this id → its calls. */
function groupCalls({ calls }: TeamCoverage, id: string): Map<string, PlacedCall[]> {
  const groups = new Map<string, PlacedCall[]>()
  for (const judged of calls) {
    const key = sessionOf(judged)
    if (key === null || !key.endsWith(`:${id}`) || key.indexOf(':') !== key.length - id.length - 1) continue
    const group = groups.get(key) ?? []
    group.push({ ...placeCall(judged.call.callId, judged.call.receivedAt), judged })
    groups.set(key, group)
  }
  return groups
}

function countClasses(calls: readonly PlacedCall[]): SessionView['classes'] {
  const classes: Record<string, { calls: number; cost_nano: number }> = {}
  for (const { judged } of calls) {
    const own = classes[judged.class] ?? { calls: 0, cost_nano: 0 }
    classes[judged.class] = { calls: own.calls + 1, cost_nano: own.cost_nano + judged.call.cost }
  }
  return classes
}

/** By the server's clock. */
function listActivity({ record, calls, lagMs }: Session): Span[] {
  const moments = (record?.places ?? []).map(({ at }) => ({ from: at + lagMs, until: at + lagMs }))
  const spans = calls.map(({ judged: { call } }) => ({ from: call.receivedAt, until: call.endedAt }))
  return mergeSpans([...moments, ...spans], gapMs)
}

/** The longest gaps, longest first. */
export function writeLongest(gaps: readonly Span[], most: number): SessionView['gaps'] {
  return gaps
    .map(({ from, until }) => ({ from: isoTime(from), until: isoTime(until), ms: Math.round(until - from) }))
    .sort((left, right) => right.ms - left.ms || (left.from < right.from ? -1 : 1))
    .slice(0, most)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
