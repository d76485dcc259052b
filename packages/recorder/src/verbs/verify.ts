// `verify`: shows that the logbook has every entry it acknowledged, and sends again what it should have lost.
import { showLine } from '@fairgate/contracts/text/show-hidden.ts'
import type { CallLogbook } from '../logbook/call-logbook.ts'
import { createComparison } from '../logbook/find-missing.ts'
import { readPage } from '../logbook/read-page.ts'
import { runSending } from '../push/run-sending.ts'
import { type ArchivedEntry, readArchive } from '../spool/archive.ts'
import { connectLogbook, openRepository } from './open-repository.ts'
import { prepareSending } from './prepare-sending.ts'
import type { RunVerb } from './verb.ts'

const pageSize = 200

export const runVerify: RunVerb = async (context, { flags }) => {
  const open = openRepository(context)
  const callLogbook = await connectLogbook(open.spool)
  const archived = readArchive(open.spool)
  const missing = await findMissing(callLogbook, archived)
  const isSending = missing.length > 0 && flags['no-send'] === undefined
  // An entry goes out again as the same bytes, so nothing is doubled if it was there after all.
  if (isSending) for (const entry of missing) open.spool.put(entry)
  const result = isSending
    ? await runSending({
        ...prepareSending(context, open),
        remainingMs: () => Number.POSITIVE_INFINITY,
        isPatient: false,
      })
    : null
  const report = {
    acknowledged: archived.length,
    found: archived.length - missing.length,
    missing: missing.length,
    resent: result?.sent ?? 0,
  }
  if (flags.json !== undefined) context.print(`${JSON.stringify(report)}\n`)
  else context.print(describe(report, result?.stop?.message ?? null))
  const isWhole = missing.length === 0 || (result !== null && result.stop === null)
  return isWhole ? 0 : 1
}

async function findMissing(
  callLogbook: CallLogbook,
  archived: readonly ArchivedEntry[],
): Promise<ArchivedEntry[]> {
  const comparison = createComparison(archived)
  const oldest = Math.min(...archived.map(({ entry }) => Date.parse(String(entry.ts))))
  let next: string | null = null
  while (comparison.missing().length > 0) {
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(callLogbook, {
      limit: pageSize,
      before: next,
    })
    for (const stored of page.items) comparison.see(stored)
    next = page.next_before
    const isPast = page.items.some(({ ts }) => Date.parse(ts) < oldest)
    if (next === null || isPast) break
  }
  return comparison.missing()
}

function describe(
  { acknowledged, missing, resent }: { acknowledged: number; missing: number; resent: number },
  stop: string | null,
): string {
  if (missing === 0) return `The logbook has all ${acknowledged} entries that it acknowledged.\n`
  const sent = `${resent} sent again${stop === null ? '' : ` (${showLine(stop)})`}`
  return `${missing} of ${acknowledged} acknowledged entries are not in the logbook; ${sent}.\n`
}
