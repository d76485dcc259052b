// Builds the recorder's status sent with each batch: its version, entries still waiting, and missing hooks.
import { recorderHeader, writeRecorderReport } from '@fairgate/contracts/logbook/recorder-report.ts'
import { isEntryName, listPending, readNameTime } from '../spool/pending.ts'
import type { Spool } from '../spool/spool.ts'

/** What a sending knows of the recorder that it belongs to. */
export type RecorderFacts = {
  readonly version: string
  /** Tools that were set up and have lost their hooks. */
  readonly goneTools: () => readonly string[]
  /** Unix ms. */
  readonly now: () => number
}

/** `sending`: names of the entries that are on their way. Never throws: a batch without this header is as good. */
export function describeRecorder(
  spool: Spool,
  sending: ReadonlySet<string>,
  { version, goneTools, now }: RecorderFacts,
): Readonly<Record<string, string>> {
  const { files, layout } = spool
  try {
    const waiting = listPending(spool).filter(name => !sending.has(name))
    const [oldest] = waiting
    const report = writeRecorderReport({
      version,
      cloneId: Buffer.from(files.read(layout.cloneId) ?? []).toString(),
      unsent: waiting.length,
      oldestSeconds: oldest === undefined ? null : (now() - readNameTime(oldest)) / 1000,
      rejected: files.list(layout.rejected).filter(isEntryName).length,
      gone: goneTools(),
      sentSeconds: now() / 1000,
    })
    return { [recorderHeader]: report }
  } catch {
    return {}
  }
}
