// GET /timeline: a team's calls, refusals and log entries, and organiser actions that affect it, merged into one order.
import {
  defaultTimelinePage,
  maxTimelineText,
  type TimelineItem,
  type TimelineKind,
  type TimelineQuery,
  type TimelineReply,
  timelineQuerySchema,
  timelineReplySchema,
} from '@fairgate/contracts/console/timeline.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import { readEntryTimes } from '@fairgate/contracts/logbook/entry-times.ts'
import Type, { type Static, type TSchema } from 'typebox'
import { isFor } from '../../directory/announcements.ts'
import { placeNumber, readPlace, writePlace } from '../../directory/pages.ts'
import { requireTeam } from '../../directory/refusals.ts'
import { describeEntry } from '../../insight/describe-entry.ts'
import { mergePages } from '../../insight/merge-pages.ts'
import { placeCall } from '../../insight/session-pages.ts'
import { formatMicroseconds } from '../../logbook/parse-instant.ts'
import { explainCall } from '../../record/explain-call.ts'
import type { AdjustmentsTable } from '../../store/schema/ledger.ts'
import type { StoredCall } from '../../store/statements/calls.ts'
import type { TeamEntryRow } from '../../store/statements/read-newest-entries.ts'
import { type AdminRoute, lookupRoute, type Management } from '../management-route.ts'

export function timelineRoute(management: Management): AdminRoute {
  return lookupRoute({
    tag: 'Overview',
    openTo: 'judges',
    path: '/timeline',
    summary: "List a team's calls, refusals, log entries, grants, phases and announcements in order of time",
    description:
      'Newest first. All actions of organisers are in `GET /audit`. Phases are the current ones of the event. An entry is placed by its own time, but never later than it was received. One that arrives late is missing from pages ' +
      'read before.',
    query: timelineQuerySchema,
    reply: timelineReplySchema,
    errors: ['invalid_request', 'team_not_found', 'unavailable'],
    isStrict: true,
    look: async query => {
      requireTeam(management.directory, query.team_id)
      const page = await readTimeline(query, management)
      return { ...management.moment(), ...page }
    },
  })
}

/** Position in an order by time, then by id. Times in Unix ms. */
const actionPlace = Type.Object({
  at: placeNumber,
  id: Type.String({ maxLength: 200, pattern: '^[^\\u0000]*$' }),
})
type Action = Static<typeof actionPlace>

/** Null: start from the newest. False: nothing is left. */
const orEnd = <Schema extends TSchema>(schema: Schema) =>
  Type.Union([schema, Type.Null(), Type.Literal(false)])

/** How far each order has been read. `mark`: phases and announcements. */
const placeSchema = Type.Object({
  call: orEnd(Type.String({ pattern: '^[0-9a-f-]{36}$' })),
  entry: orEnd(Type.Object({ atMicros: Type.Integer({ minimum: 0 }), seq: Type.Integer({ minimum: 0 }) })),
  correction: orEnd(actionPlace),
  mark: orEnd(actionPlace),
})
type Place = Static<typeof placeSchema>

const orders = ['call', 'entry', 'correction', 'mark'] as const

const orderOf: Readonly<Record<TimelineKind, keyof Place>> = {
  call: 'call',
  refusal: 'call',
  entry: 'entry',
  grant: 'correction',
  correction: 'correction',
  phase: 'mark',
  announcement: 'mark',
}

/** `place`: the position after this item. */
type Placed = { readonly atMicros: number; readonly item: TimelineItem; readonly place: Partial<Place> }

/** `endMicros`: this part has everything newer than this time; null if nothing is left. */
type Part = {
  readonly placed: readonly Placed[]
  readonly endMicros: number | null
  readonly rest: Partial<Place>
}

const maxBytes = 1024 * 1024
const nothing: Part = { placed: [], endMicros: null, rest: {} }

async function readTimeline(
  query: TimelineQuery,
  management: Management,
): Promise<Pick<TimelineReply, 'items' | 'next'>> {
  const { team_id: teamId, kind, limit = defaultTimelinePage, after } = query
  const isAsked = (order: keyof Place) => kind === undefined || orderOf[kind] === order
  const first = (order: keyof Place) => (isAsked(order) ? null : false)
  const start: Place =
    after === undefined
      ? {
          call: first('call'),
          entry: first('entry'),
          correction: first('correction'),
          mark: first('mark'),
        }
      : readPlace(placeSchema, after)
  const input = { teamId, limit, kind }
  const parts = await Promise.all([
    start.call === false ? nothing : readCalls(management, { ...input, beforeId: start.call }),
    start.entry === false ? nothing : readEntries(management, { teamId, limit, before: start.entry }),
    start.correction === false
      ? nothing
      : readCorrections(management, { ...input, before: start.correction }),
    start.mark === false ? nothing : listMarks(management, { ...input, before: start.mark }),
  ])
  const {
    items: page,
    isCut,
    isLast,
  } = mergePages(
    parts.map(({ placed, endMicros }) => ({
      items: placed,
      knownTo: endMicros === null ? null : { atMicros: endMicros },
    })),
    newestFirst,
    limit,
  )
  // A part that was read and shown completely need not be read again.
  const reached = orders.map(order => page.findLast(({ place }) => place[order] !== undefined)?.place)
  const place: Place = Object.assign(
    { ...start },
    ...reached,
    ...(isCut ? [] : parts.map(({ rest }) => rest)),
  )
  return { items: page.map(({ item }) => item), next: isLast ? null : writePlace(place) }
}

function newestFirst(one: Pick<Placed, 'atMicros'>, other: Pick<Placed, 'atMicros'>): number {
  return other.atMicros - one.atMicros
}

async function readCalls(
  { read }: Management,
  input: {
    readonly teamId: string
    readonly limit: number
    readonly kind: TimelineKind | undefined
    readonly beforeId: string | null
  },
): Promise<Part> {
  const { kind, ...range } = input
  const { calls, nextBefore } = await read.readCallsPage({
    ...range,
    ...{ from: null, until: null, keyHash: null, code: null, endpoint: null, model: null },
    ...{ tool: null, sessionId: null, undelivered: null, outcome: kind === 'refusal' ? 'refused' : null },
  })
  const shown = kind === 'call' ? calls.filter(({ outcome }) => outcome !== 'refused') : calls
  const oldest = calls.at(-1)
  return {
    placed: shown.map(call => ({
      atMicros: timeOf(call),
      item: writeCallItem(call),
      place: { call: call.callId },
    })),
    // A page that read many calls and found few continues after the last one it read.
    endMicros:
      nextBefore === null ? null : timeOf({ callId: nextBefore, receivedAt: oldest?.receivedAt ?? 0 }),
    rest: { call: nextBefore ?? false },
  }
}

/** Microseconds, from the time at the start of its id (UUID version 7), because calls are read in order of their ids. */
function timeOf({ callId, receivedAt }: Pick<StoredCall, 'callId' | 'receivedAt'>): number {
  return placeCall(callId, receivedAt).at * 1000
}

async function readEntries(
  { read }: Management,
  {
    teamId,
    limit,
    before,
  }: { readonly teamId: string; readonly limit: number; readonly before: (Place['entry'] & object) | null },
): Promise<Part> {
  const { rows, hasMore } = await read.readNewestEntries({
    ...{ teamId, limit, maximumBytes: maxBytes, toolKey: null, eventKey: null },
    before: before === null ? null : { ...before, teamId },
  })
  const oldest = rows.at(-1)
  const placeOf = ({ atMicros, seq }: TeamEntryRow) => ({ entry: { atMicros, seq } })
  return {
    placed: rows.map(row => ({
      atMicros: row.atMicros,
      item: writeEntryItem(teamId, row),
      place: placeOf(row),
    })),
    endMicros: hasMore && oldest !== undefined ? oldest.atMicros : null,
    rest: hasMore && oldest !== undefined ? placeOf(oldest) : { entry: false },
  }
}

function writeCallItem(call: StoredCall): TimelineItem {
  return {
    kind: call.outcome === 'refused' ? 'refusal' : 'call',
    at: isoTime(call.receivedAt),
    claimed_at: null,
    text: explainCall(call) ?? '',
    model: call.modelServed ?? call.modelAsked,
    event: null,
    tool: call.client.tool,
    session_id: call.client.sessionId,
    cost_nano: call.cost,
    duration_ms: call.durationMs,
    count: call.count,
    ref: call.callId,
  }
}

function writeEntryItem(teamId: string, row: TeamEntryRow): TimelineItem {
  const { tool, sessionId, text } = describeEntry(row.body)
  const { claimed } = readEntryTimes({
    ts: formatMicroseconds(row.tsMicros),
    received_at: formatMicroseconds(row.receivedMicros),
  })
  return {
    kind: 'entry',
    at: isoTime(Math.floor(row.atMicros / 1000)),
    claimed_at: claimed,
    text,
    model: null,
    event: row.eventKey,
    tool,
    session_id: sessionId,
    cost_nano: null,
    duration_ms: null,
    count: 1,
    ref: `${teamId}#${row.seq}`,
  }
}

type ActionsInput = {
  readonly teamId: string
  readonly limit: number
  readonly kind: TimelineKind | undefined
  readonly before: Action | null
}

async function readCorrections(
  { read }: Management,
  { teamId, limit, kind, before }: ActionsInput,
): Promise<Part> {
  const corrections = ['refund', 'adjust'] as const
  const kinds = kind === 'grant' ? (['grant'] as const) : corrections
  const rows = await read.readCorrectionsPage({
    teamId,
    kinds: kind === undefined ? ['grant', ...corrections] : kinds,
    before,
    limit: limit + 1,
  })
  const placed = rows.slice(0, limit).map(row => ({
    atMicros: row.at * 1000,
    item: writeCorrectionItem(row),
    place: { correction: { at: row.at, id: row.adjustment_id } },
  }))
  return endPart(placed, rows.length > limit, { correction: false })
}

function listMarks({ directory, clock }: Management, { teamId, limit, kind, before }: ActionsInput): Part {
  const now = clock()
  const phases = (directory.event()?.phases ?? []).map(({ name, from }) => ({
    at: from,
    id: `phase ${name}`,
    item: writeMarkItem('phase', from, name, name),
  }))
  const announcements = directory
    .announcements()
    .filter(announcement => isFor(announcement, teamId))
    .map(({ announcementId, from, text }) => ({
      at: from,
      id: announcementId,
      item: writeMarkItem('announcement', from, cutText(text), announcementId),
    }))
  const marks = [...phases, ...announcements]
    .filter(({ at, item }) => at <= now && (kind === undefined || item.kind === kind))
    .sort((one, other) => other.at - one.at || (one.id < other.id ? 1 : -1))
    .filter(({ at, id }) => before === null || at < before.at || (at === before.at && id < before.id))
  const placed = marks
    .slice(0, limit)
    .map(({ at, id, item }) => ({ atMicros: at * 1000, item, place: { mark: { at, id } } }))
  return endPart(placed, marks.length > limit, { mark: false })
}

function endPart(placed: readonly Placed[], hasMore: boolean, over: Partial<Place>): Part {
  const oldest = placed.at(-1)
  return hasMore && oldest !== undefined
    ? { placed, endMicros: oldest.atMicros, rest: oldest.place }
    : { placed, endMicros: null, rest: over }
}

function writeCorrectionItem(row: AdjustmentsTable): TimelineItem {
  return {
    ...noCall,
    kind: row.kind === 'grant' ? 'grant' : 'correction',
    at: isoTime(row.at),
    text: cutText(row.reason),
    model: row.model_id,
    cost_nano: row.amount_nano,
    ref: row.adjustment_id,
  }
}

function writeMarkItem(kind: 'phase' | 'announcement', at: number, text: string, ref: string): TimelineItem {
  return { ...noCall, kind, at: isoTime(at), text, model: null, cost_nano: null, ref }
}

const noCall = {
  claimed_at: null,
  event: null,
  tool: null,
  session_id: null,
  duration_ms: null,
  count: 1,
} as const

/** Cuts by code points. */
function cutText(text: string): string {
  return [...text.slice(0, 2 * maxTimelineText)].slice(0, maxTimelineText).join('')
}
