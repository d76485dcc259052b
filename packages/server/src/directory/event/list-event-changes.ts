// Lists the differences between the event's settings before and after an action, and the effects that an organiser should check before confirming.

import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { PlannedChange } from '@fairgate/contracts/management/planned-action.ts'
import { formatZonedMoment } from '@fairgate/contracts/text/zoned-time.ts'
import { eventLockAt } from '../../store/statements/boards.ts'
import { planChange } from '../planned-action.ts'
import { boardLocksOf, type Event, gatewayAt, type Phase, phaseAt } from './event.ts'

/** `now` in Unix ms: a moment equal to `now` is shown as "now", because otherwise a preview would differ from the action that follows it. */
export function listEventChanges(before: Event, after: Event, now: number): PlannedChange[] {
  const moment = (at: number | null) => (at === now ? 'now' : isoTime(at))
  return [
    ...planChange('event.name', 'event', before.name, after.name),
    ...planChange('event.time_zone', 'event', before.timeZone, after.timeZone),
    ...planChange('event.cap_nano', 'event', before.capNano, after.capNano),
    ...planChange(
      'event.submission',
      'event',
      describeSubmission(before.submission),
      describeSubmission(after.submission),
    ),
    ...planChange('event.paused', 'event', before.paused !== null, after.paused !== null),
    ...planChange('event.ended', 'event', moment(before.ended?.at ?? null), moment(after.ended?.at ?? null)),
    ...listEffectsOfEnd(before, after, now),
    ...listPhaseChanges(before.phases, after.phases),
  ]
}

/** Effects on gateway and boards of a manual end, or of undoing one. */
function listEffectsOfEnd(before: Event, after: Event, now: number): PlannedChange[] {
  if (before.ended?.at === after.ended?.at) return []
  const at = Math.max(now, after.ended?.at ?? 0)
  return [
    ...planChange('gateway', 'event', gatewayAt(before, at).kind, gatewayAt(after, at).kind),
    ...planChange('boards', 'event', describeBoards(before, at), describeBoards(after, at)),
  ]
}

function describeBoards(event: Event, at: number): string {
  const lock = eventLockAt({ eventLocks: boardLocksOf(event), openedAt: null }, at)
  if (lock.kind !== 'late') return lock.kind
  // No time of day: the preview of an end now must match the text of the action that follows it.
  return `locked, earlier entries accepted for ${Math.ceil((lock.until - at) / 60_000)} min`
}

function listPhaseChanges(before: readonly Phase[], after: readonly Phase[]): PlannedChange[] {
  const removed = before.filter(({ name }) => !after.some(phase => phase.name === name))
  return [
    ...removed.flatMap(phase => planChange('phase', phase.name, describeSpan(phase), null)),
    ...after.flatMap(phase => {
      const earlier = before.find(({ name }) => name === phase.name)
      const members = earlier === undefined ? [] : listMembers(earlier, phase)
      return earlier === undefined
        ? [...planChange('phase', phase.name, null, describeSpan(phase)), ...listMembers(plain, phase)]
        : members
    }),
  ]
}

/** A phase with nothing set except its times. */
const plain = {
  gateway: 'open',
  models: null,
  budgetNano: null,
  accounting: 'continue',
  entriesUntil: null,
  submissionsUntil: null,
} as const

function listMembers(
  before: Omit<Phase, 'name' | 'from' | 'until'> & Partial<Phase>,
  after: Phase,
): PlannedChange[] {
  const { name } = after
  return [
    ...(before.from === undefined
      ? []
      : [
          ...planChange('phase.from', name, isoTime(before.from), isoTime(after.from)),
          ...planChange('phase.until', name, isoTime(before.until ?? null), isoTime(after.until)),
        ]),
    ...planChange('phase.gateway', name, before.gateway, after.gateway),
    ...planChange('phase.models', name, listModels(before), listModels(after)),
    ...planChange('phase.budget_nano', name, before.budgetNano, after.budgetNano),
    ...planChange('phase.accounting', name, before.accounting, after.accounting),
    ...planChange('phase.entries_until', name, isoTime(before.entriesUntil), isoTime(after.entriesUntil)),
    ...planChange(
      'phase.submissions_until',
      name,
      isoTime(before.submissionsUntil),
      isoTime(after.submissionsUntil),
    ),
  ]
}

function describeSubmission(submission: Event['submission']): string | null {
  if (submission === null) return null
  const { disclosure, max_files: files, late } = submission
  return `files: ${files}, late ones: ${late}, disclosure: ${disclosure ?? 'none'}`
}

function listModels({ models }: Pick<Phase, 'models'>): string | null {
  return models === null ? null : models.join(',')
}

function describeSpan({ from, until }: Phase): string {
  return `${isoTime(from)} to ${until === null ? 'no end' : isoTime(until)}`
}

/** Immediate effects that were probably not intended. An action with that effect as its purpose needs no confirmation. */
export function warnOfEffects(before: Event, after: Event, now: number): string[] {
  return [
    ...warnOfClosing(before, after, now),
    ...warnOfLocks(before, after, now),
    ...warnOfNewPeriod(before, after, now),
    ...warnOfGaps(before, after),
  ]
}

function warnOfClosing(before: Event, after: Event, now: number): string[] {
  const isClosed = gatewayAt(before, now).kind !== 'closed' && gatewayAt(after, now).kind === 'closed'
  return isClosed ? ['The gateway would be closed at once.'] : []
}

function warnOfLocks(before: Event, after: Event, now: number): string[] {
  const lockAt = (event: Event) => eventLockAt({ eventLocks: boardLocksOf(event), openedAt: null }, now)
  const lock = lockAt(after)
  if (lock.kind === 'open' || lockAt(before).kind === lock.kind) return []
  const since = formatZonedMoment(lock.kind === 'late' ? lock.before : lock.since, after.timeZone)
  return [`The boards of all teams would be locked at once, as of ${since}, which is in the past.`]
}

function warnOfNewPeriod(before: Event, after: Event, now: number): string[] {
  const [earlier, later] = [startOfPeriod(before, now), startOfPeriod(after, now)]
  if (later === null || later === earlier) return []
  const since = formatZonedMoment(later, after.timeZone)
  return [
    `The budget period of every team would begin at ${since}, which is in the past: anything spent before would no longer count.`,
  ]
}

/** Between two phases the gateway is closed, and boards that no phase locks accept entries as in time. */
function warnOfGaps(before: Event, after: Event): string[] {
  const known = new Set(listGaps(before).map(nameGap))
  return listGaps(after)
    .filter(gap => !known.has(nameGap(gap)))
    .map(({ earlier, later, from, until }) => {
      const show = (at: number) => formatZonedMoment(at, after.timeZone)
      const isOpen = eventLockAt({ eventLocks: boardLocksOf(after), openedAt: null }, from).kind === 'open'
      const boards = isOpen ? 'open, so entries still count as in time' : 'locked'
      return `No phase applies between "${earlier}" (until ${show(from)}) and "${later}" (from ${show(until)}): the gateway is closed and the boards are ${boards}.`
    })
}

type Gap = { readonly earlier: string; readonly later: string; readonly from: number; readonly until: number }

function listGaps({ phases }: Event): Gap[] {
  return phases.flatMap(({ name: earlier, until }, index) => {
    const next = phases[index + 1]
    if (next === undefined || until === null || until >= next.from) return []
    return [{ earlier, later: next.name, from: until, until: next.from }]
  })
}

function nameGap({ from, until }: Gap): string {
  return `${from} ${until}`
}

function startOfPeriod(event: Event, now: number): number | null {
  const phase = phaseAt(event, now)
  if (phase === null) return null
  return (
    event.phases.findLast(({ accounting, from }) => accounting === 'new' && from <= phase.from)?.from ?? null
  )
}
