// `send`: sends what waits. People run it by hand, `--watch` repeats it, and a push that was too slow runs it for a minute.
import { describeSending, describeWrongClock, nameSuspect } from '../push/describe-sending.ts'
import { findSuspects, type SuspectEntry } from '../push/find-secrets.ts'
import { runSending, type SendingResult } from '../push/run-sending.ts'
import { appendLog } from '../spool/append-log.ts'
import { retryRejected } from '../spool/rejected.ts'
import type { NumberedEntry, Spool } from '../spool/spool.ts'
import { UserFailure } from '../terminal/user-failure.ts'
import { openRepository } from './open-repository.ts'
import { prepareSending, warnOfSecrets } from './prepare-sending.ts'
import type { RunVerb, VerbContext } from './verb.ts'

const backgroundMs = 60_000
const backgroundPauseMs = 5000
const defaultWatchSeconds = 30

export const runSend: RunVerb = async (context, { flags }) => {
  const open = openRepository(context)
  const sending = prepareSending(context, open)
  if (flags['retry-rejected'] !== undefined) retryRejected(open.spool)
  if (flags.background !== undefined) return await sendInBackground(context, open.spool, sending)
  let secrets: SuspectEntry[] = []
  const send = async (isPatient: boolean): Promise<SendingResult> => {
    secrets = []
    return await runSending({
      ...sending,
      remainingMs: () => Number.POSITIVE_INFINITY,
      isPatient,
      inspect: warnOfSecrets(context, secrets),
    })
  }
  const show = (result: SendingResult, isQuiet: boolean) => {
    const line = describeSending(result, false)
    if (flags.json !== undefined) context.print(`${JSON.stringify({ ...result, secrets })}\n`)
    else if (line !== null) context.print(`${line}\n`)
    else if (!isQuiet) context.print('fairgate-recorder: nothing waits to be sent\n')
    const clock = describeWrongClock(result.clockBehindMs)
    if (clock !== null) context.printError(`${clock}\n`)
  }
  if (flags.watch !== undefined) {
    const pause = readSeconds(flags.every) * 1000
    for (;;) {
      show(await send(true), true)
      await context.sleep(pause)
    }
  }
  const result = await send(false)
  show(result, false)
  return result.kept > 0 ? 1 : 0
}

/** Prints nothing, because no one reads it. Messages go to the recorder's log. */
async function sendInBackground(
  context: VerbContext,
  { layout }: Spool,
  sending: ReturnType<typeof prepareSending>,
): Promise<0 | 1> {
  const remainingMs = () => backgroundMs - context.elapsedMs()
  while (remainingMs() > 0) {
    const inspect = (batch: readonly NumberedEntry[]) => {
      for (const suspect of findSuspects(batch))
        appendLog(layout.log, context.now(), `send: ${nameSuspect(suspect)} seems to contain a secret`)
    }
    const result = await runSending({ ...sending, remainingMs, isPatient: true, inspect })
    const reason = result.stop?.reason
    if (result.kept === 0 || reason === 'unauthorized' || reason === 'locked' || reason === 'not set up')
      break
    await context.sleep(Math.min(backgroundPauseMs, Math.max(0, remainingMs())))
  }
  return 0
}

function readSeconds(text: string | undefined): number {
  const seconds = text === undefined ? defaultWatchSeconds : Number(text)
  if (!(seconds >= 1 && seconds <= 86_400)) throw new UserFailure('--every takes seconds from 1 to 86400.', 2)
  return seconds
}
