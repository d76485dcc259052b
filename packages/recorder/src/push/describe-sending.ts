// The one line that a push prints about the entries.
import { showLine } from '@fairgate/contracts/text/show-hidden.ts'
import type { SendingResult } from './run-sending.ts'

/** null: nothing happened that is worth a line. */
export function describeSending(
  { sent, rejected, kept, stop }: SendingResult,
  secrets: number,
  isHandedOver: boolean,
): string | null {
  if (sent === 0 && rejected === 0 && kept === 0) return null
  const parts = [`${countOf(sent)} sent`]
  if (kept > 0) parts.push(describeKept(kept, stop?.message ?? null, isHandedOver))
  if (rejected > 0) parts.push(`${rejected} refused by the logbook (see "fairgate-recorder status")`)
  if (secrets > 0)
    parts.push(`${secrets} look${secrets === 1 ? 's' : ''} as if they held a secret: replace it`)
  return showLine(`fairgate-recorder: ${parts.join('; ')}`)
}

function describeKept(kept: number, message: string | null, isHandedOver: boolean): string {
  if (isHandedOver) return `${kept} being sent in the background`
  return `${kept} kept for the next push${message === null ? '' : ` (${message})`}`
}

function countOf(count: number): string {
  return `${count} ${count === 1 ? 'entry' : 'entries'}`
}
