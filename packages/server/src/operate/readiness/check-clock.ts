// Checks the clock of this machine against other clocks: phases and locks are decided by it to the millisecond.
import { type Finding, fault, ok, warning } from './finding.ts'

/** How far another clock is ahead of ours, in ms. */
export type ClockReading = {
  readonly source: string
  readonly aheadMs: number
  /** How far off the reading itself may be. */
  readonly errorMs: number
}

/** Participants notice a second at a deadline. Half a minute breaks keys and certificates of upstreams too. */
const worthWarningMs = 500
const worthFaultMs = 30_000

const fix = 'Let the system set the clock, for example: timedatectl set-ntp true'

export function checkClock(readings: readonly ClockReading[]): Finding[] {
  if (readings.length === 0) return [ok('there is no other clock to compare it with')]
  return readings.map(({ source, aheadMs, errorMs }) => {
    const surelyMs = Math.max(0, Math.abs(aheadMs) - errorMs)
    const text = `this clock is ${describeOffset(aheadMs, errorMs)} that of ${source}`
    if (surelyMs > worthFaultMs) return fault(text, fix)
    return surelyMs > worthWarningMs ? warning(text, fix) : ok(text)
  })
}

function describeOffset(aheadMs: number, errorMs: number): string {
  if (Math.abs(aheadMs) <= errorMs) return `within ${Math.ceil(errorMs)} ms of`
  return `${Math.round(Math.abs(aheadMs))} ms ${aheadMs > 0 ? 'behind' : 'ahead of'}`
}

/** From the moments around one question, and what the other clock said in between. `resolutionMs`: how coarsely it speaks. */
export function readClock(
  source: string,
  asked: { readonly before: number; readonly said: number; readonly after: number },
  resolutionMs: number,
): ClockReading {
  const { before, said, after } = asked
  // A coarse clock cuts off: on average it is half a step behind what it means.
  const meant = said + resolutionMs / 2
  return {
    source,
    aheadMs: meant - (before + after) / 2,
    errorMs: (after - before) / 2 + resolutionMs / 2,
  }
}
