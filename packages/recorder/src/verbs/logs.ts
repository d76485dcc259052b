// `logs`: reads the team's entries back from the logbook, page by page (spec 4.2).

import type { EntriesPage, StoredEntry } from '@fairgate/contracts/logbook/entries-page.ts'
import { showLine } from '@fairgate/contracts/text/show-hidden.ts'
import { readPage } from '../logbook/read-page.ts'
import { UserFailure } from '../terminal/user-failure.ts'
import { connectLogbook, openRepository } from './open-repository.ts'
import type { RunVerb } from './verb.ts'

const longestLine = 100

export const runLogs: RunVerb = async (context, { flags }) => {
  const { spool } = openRepository(context)
  const { limit = '50', before = null, event = '', tool = '' } = flags
  if (!/^[1-9]\d*$/.test(limit)) throw new UserFailure('--limit takes a whole number from 1.', 2)
  const callLogbook = await connectLogbook(spool, context)
  const wanted = Number(limit)
  const items: StoredEntry[] = []
  let next: string | null = before
  do {
    const page: EntriesPage = await readPage(callLogbook, {
      limit: wanted - items.length,
      before: next,
      event,
      tool,
    })
    items.push(...page.items)
    next = page.next_before
  } while (next !== null && items.length < wanted)
  if (flags.json !== undefined) {
    context.print(`${JSON.stringify({ items, next_before: next })}\n`)
    return 0
  }
  for (const entry of items) context.print(`${describeEntry(entry)}\n`)
  if (items.length === 0) context.print('No entries.\n')
  if (next !== null) context.print(`More: --before ${next}\n`)
  return 0
}

function describeEntry(entry: StoredEntry): string {
  const what = entry.prompt ?? entry.tool_name ?? entry.response_summary ?? entry.stop_reason ?? ''
  const line = showLine([...what.replace(/\s+/g, ' ')].slice(0, longestLine).join(''))
  return `${showLine(entry.ts)}  ${showLine(entry.tool).padEnd(11)} ${showLine(entry.event).padEnd(19)} ${line}`.trimEnd()
}
