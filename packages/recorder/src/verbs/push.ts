// `push`: what git's pre-push hook runs. It takes two seconds at most by default and always exits with 0. It prints one line at most
// about what was sent, after one that names entries that seem to contain a secret, one about a wrong clock, and one that the organisers announce, once.
//
// It does not read standard input, where git lists the refs: all entries are sent whatever is pushed, and another hook may need it.
import { spawn } from 'node:child_process'
import { withoutLocalGitVariables } from '../git/run-git.ts'
import { readManifest } from '../install/files/changes.ts'
import { findGoneTools } from '../install/inspect/judge-tool.ts'
import {
  type Announcement,
  describeAnnouncements,
  readAnnouncements,
  takeUnshown,
} from '../push/announcements.ts'
import { describeGone, describeSending, describeWrongClock } from '../push/describe-sending.ts'
import type { SuspectEntry } from '../push/find-secrets.ts'
import { runSending } from '../push/run-sending.ts'
import { appendLog } from '../spool/append-log.ts'
import { listPending } from '../spool/pending.ts'
import type { Spool } from '../spool/spool.ts'
import { openRepository } from './open-repository.ts'
import { prepareSending, warnOfSecrets } from './prepare-sending.ts'
import type { RunVerb, VerbContext } from './verb.ts'

const usualSeconds = 2
const maxSeconds = 3600
/** The part of that time that starting and ending this process takes. */
const reservedMs = 300
/** How long an announcement is waited for when the entries are sent: the logbook has been asked for it before them. */
const newsMs = 150

export const runPush: RunVerb = async (context, { flags }) => {
  const open = openRepository(context)
  const foregroundMs = readSeconds(context.environment.FAIRGATE_PUSH_SECONDS) * 1000 - reservedMs
  const secrets: SuspectEntry[] = []
  const remainingMs = () => foregroundMs - context.elapsedMs()
  let news: Promise<readonly Announcement[] | null> = Promise.resolve(null)
  const gone = findGoneTools(readManifest(open.spool), open.repository.root, context.home, context.readText)
  try {
    const prepared = prepareSending(context, open)
    const result = await runSending({
      ...prepared,
      // Asked on its own connection, in parallel with the entries, which do not wait for it.
      connect: async (logbookUrl, token) => {
        news = readAnnouncements(await prepared.connect(logbookUrl, token), Math.max(1, remainingMs()))
        return await prepared.connect(logbookUrl, token)
      },
      remainingMs,
      isPatient: true,
      inspect: warnOfSecrets(context, secrets),
    })
    const isHandedOver = result.stop?.reason === 'timeout' && result.kept > 0
    if (isHandedOver) startBackgroundSender(context.command, open.repository.root)
    if (flags.json !== undefined)
      context.print(`${JSON.stringify({ ...result, secrets, isHandedOver, hooksGone: gone })}\n`)
    else {
      const line = describeSending(result, isHandedOver)
      if (line !== null) context.printError(`${line}\n`)
      const clock = describeWrongClock(result.clockBehindMs)
      if (clock !== null) context.printError(`${clock}\n`)
    }
    if (flags.json === undefined) await showNews(context, open.spool, news, remainingMs())
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    appendLog(open.spool.layout.log, context.now(), `push: ${message}`)
    context.printError(
      `fairgate-recorder: ${listPending(open.spool).length} kept for the next push (${message})\n`,
    )
  }
  if (gone.length > 0) context.printError(`${describeGone(gone)}\n`)
  return 0
}

/** Never rejects: an announcement that cannot be shown is no reason to doubt what was sent. */
async function showNews(
  context: VerbContext,
  spool: Spool,
  news: Promise<readonly Announcement[] | null>,
  remainingMs: number,
): Promise<void> {
  const patience = context.sleep(Math.max(0, Math.min(newsMs, remainingMs))).then(() => null)
  const announced = await Promise.race([news, patience])
  try {
    const line = describeAnnouncements(takeUnshown(spool, announced ?? []))
    if (line !== null) context.printError(`${line}\n`)
  } catch (thrown) {
    appendLog(spool.layout.log, context.now(), `announcements: ${String(thrown)}`)
  }
}

/** A push must not fail, so values that make no sense are ignored. */
function readSeconds(text: string | undefined): number {
  const seconds = Number(text)
  return seconds > 0 && seconds <= maxSeconds ? seconds : usualSeconds
}

/** Continues the sending after the push has ended. The process inherits no descriptors, because tools read git's output to its end. */
function startBackgroundSender([program, ...file]: VerbContext['command'], root: string): void {
  const child = spawn(program, [...file, 'send', '--background'], {
    cwd: root,
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
    env: withoutLocalGitVariables(process.env),
  })
  // If no process can be started, the next push sends.
  child.on('error', () => undefined)
  child.unref()
}
