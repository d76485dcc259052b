// Plays the troubles that switches can add before any answer: silence, delay, a number of errors.
import { parseSwitches, type Switches } from './switches.ts'
import { retryInfo, VendorError } from './vendor-error.ts'

export type Trouble = ReturnType<typeof createTrouble>

export function createTrouble(wait: (milliseconds: number) => Promise<void>) {
  const failures = new Map<string, number>()

  /** Throws VendorError if the switches say so, at most `errorTimes` times in a row for equal switches. */
  const failIfAsked = (switches: Switches): void => {
    if (switches.error === undefined || switches.errorInStream !== undefined) return
    const name = JSON.stringify(switches)
    const failed = failures.get(name) ?? 0
    if (switches.errorTimes !== undefined && failed >= switches.errorTimes) {
      failures.delete(name)
      return
    }
    failures.set(name, failed + 1)
    const details = switches.retryDelay === undefined ? [] : [retryInfo(switches.retryDelay)]
    throw new VendorError(switches.error, undefined, details, switches.arrayError === true)
  }

  return async (switches: Switches, signal: AbortSignal): Promise<void> => {
    if (switches.hang === true) await waitForAbort(signal)
    if (switches.firstByteDelayMs !== undefined) await wait(switches.firstByteDelayMs)
    failIfAsked(switches)
  }
}

/** The switches in the header `x-sandbox-switches`. */
export function readHeader(request: Request): Switches {
  const text = request.headers.get('x-sandbox-switches')
  return text === null ? {} : parseSwitches(text)
}

function waitForAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const leave = () => reject(new VendorError(499, 'The caller left.'))
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave)
  })
}
