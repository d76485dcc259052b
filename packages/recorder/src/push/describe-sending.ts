// The lines that a push prints: one about what it did, one before it about secrets if there are any, and after it one about a wrong clock and
// one about lost hooks.
import { showLine } from '@fairgate/contracts/text/show-hidden.ts'
import { describeClock } from '../logbook/compare-clocks.ts'
import type { SuspectEntry } from './find-secrets.ts'
import type { SendingResult, SendingStop } from './run-sending.ts'

const maxNamed = 3

/** Returns null if there is nothing to report. */
export function describeSending(
  { sent, duplicates, rejected, kept, stop }: SendingResult,
  isHandedOver: boolean,
): string | null {
  if (sent === 0 && rejected === 0 && kept === 0) return null
  const known = duplicates === 0 ? '' : ` (${sent - duplicates} new, ${duplicates} already in the logbook)`
  const parts = [`${countOf(sent)} sent${known}`]
  if (kept > 0) parts.push(describeKept(kept, stop, isHandedOver))
  if (rejected > 0) parts.push(`${rejected} refused (see "fairgate-recorder status")`)
  return showLine(`fairgate-recorder: ${parts.join('; ')}`)
}

/** Returns null if the clocks agree. */
export function describeWrongClock(clockBehindMs: number): string | null {
  const text = describeClock(clockBehindMs)
  return text === null ? null : `fairgate-recorder: ${text}`
}

/** Returns the warning to print before sending; null if there are no suspects. */
export function describeSuspects(suspects: readonly SuspectEntry[]): string | null {
  if (suspects.length === 0) return null
  const named = suspects.slice(0, maxNamed).map(nameSuspect)
  const more = suspects.length > maxNamed ? [`${suspects.length - maxNamed} more`] : []
  const looks = suspects.length === 1 ? 'seems to contain a secret' : 'seem to contain secrets'
  const rest = 'Entries are sent as they are: replace the secret'
  return showLine(`fairgate-recorder: ${[...named, ...more].join(', ')} ${looks}. ${rest}`)
}

/** Names the entry by what its user remembers: which tool, which event, when. */
export function nameSuspect({ tool, event, ts, kinds }: SuspectEntry): string {
  return `${tool} ${event} of ${ts} (${kinds.join(', ')})`
}

/** Reports missing hooks, for example after `git clean -fdx`. */
export function describeGone(tools: readonly string[]): string {
  return `fairgate-recorder: the hooks of ${tools.join(', ')} are gone, so their work is not recorded: run "fairgate-recorder init"`
}

function describeKept(kept: number, stop: SendingStop | null, isHandedOver: boolean): string {
  if (isHandedOver) return `${kept} being sent in the background`
  if (stop?.reason === 'another sender') return `${kept} waiting, being sent by another process`
  return `${kept} kept for the next push${stop === null ? '' : ` (${stop.message})`}`
}

function countOf(count: number): string {
  return `${count} ${count === 1 ? 'entry' : 'entries'}`
}
