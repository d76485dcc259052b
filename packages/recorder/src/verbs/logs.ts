// `logs`: reads the team's entries back from the logbook, page by page (spec 4.2).
import type { StoredEntry } from '@fairgate/contracts/logbook/entries-page.ts'
import { maximumPageSize } from '@fairgate/contracts/logbook/limits.ts'
import { quoteForShell } from '../install/program/hook-command.ts'
import type { CallLogbook } from '../logbook/call-logbook.ts'
import { type PageQuestion, readPage } from '../logbook/read-page.ts'
import type { Line } from '../terminal/paint.ts'
import { suggestWord } from '../terminal/suggest.ts'
import { UserFailure } from '../terminal/user-failure.ts'
import { tools } from '../tools/find-tool.ts'
import { toolNames } from '../tools/tool.ts'
import { describeLogs } from './describe-logs.ts'
import { connectLogbook, openRepository } from './open-repository.ts'
import type { RunVerb } from './verb.ts'

const maxEntries = 100_000
/** Maximum entries searched for a session before asking the user to continue. */
const farthestLook = 10_000

type Wanted = Pick<PageQuestion, 'before' | 'event' | 'tool'> & {
  readonly limit: number
  /** Start or end of the session id; empty means all. */
  readonly session: string
}

type Found = { readonly items: readonly StoredEntry[]; readonly next: string | null }

export const runLogs: RunVerb = async (context, { flags }) => {
  const { spool } = openRepository(context)
  const { limit = '50', before = null, event = '', tool = '', session = '' } = flags
  if (!/^[1-9]\d*$/.test(limit) || Number(limit) > maxEntries)
    throw new UserFailure(`--limit takes a whole number from 1 to ${maxEntries}.`, 2)
  const wanted: Wanted = { limit: Number(limit), before, event, tool, session }
  const { items, next } = await readEntries(await connectLogbook(spool, context), wanted)
  if (flags.json !== undefined) {
    context.print(`${JSON.stringify({ items, next_before: next })}\n`)
    return 0
  }
  const { isTerminal, width } = context.screen
  const look = { isTerminal, width, isFull: flags.full !== undefined }
  const page = items.length === 0 ? describeNone(wanted) : describeLogs(items, look)
  await context.showPage([...page, ...(next === null ? [] : describeMore(flags, next, items.length === 0))])
  return 0
}

/** Filters that the logbook does not have are applied to its pages here. */
async function readEntries(callLogbook: CallLogbook, wanted: Wanted): Promise<Found> {
  const { limit, session } = wanted
  // Pages show the end of an id, tools its beginning.
  const isOf = ({ session_id: id }: StoredEntry) => id.startsWith(session) || id.endsWith(session)
  const items: StoredEntry[] = []
  let looked = 0
  let next: string | null = wanted.before
  do {
    const size = Math.min(session === '' ? limit - items.length : maximumPageSize, maximumPageSize)
    let page = await readPage(callLogbook, { ...wanted, limit: size, before: next })
    const places = page.items.flatMap((entry, index) => (isOf(entry) ? [index] : []))
    const last = places[limit - items.length - 1]
    // There are more than wanted. The page is read again up to the last wanted entry, so that the next page begins right after it.
    if (last !== undefined && last + 1 < page.items.length)
      page = await readPage(callLogbook, { ...wanted, limit: last + 1, before: next })
    items.push(...page.items.filter(isOf))
    looked += page.items.length
    next = page.next_before
  } while (next !== null && items.length < limit && (session === '' || looked < farthestLook))
  return { items, next }
}

function describeNone({ tool = '', event = '' }: Wanted): Line[] {
  const name = tool.toLowerCase()
  const isKnown = tool === '' || toolNames.some(known => known === name)
  const events = Object.values(tools).flatMap(known => known.events)
  const meant = event === '' || events.includes(event) ? null : suggestWord(event, events)
  return [
    ['No entries.'],
    ...(isKnown ? [] : [[`The recorder has no tool "${tool}"; it knows ${toolNames.join(', ')}.`]]),
    ...(meant === null ? [] : [[`Did you mean --event ${meant}?`]]),
  ]
}

function describeMore(flags: Readonly<Record<string, string>>, next: string, isNothing: boolean): Line[] {
  const kept = Object.entries(flags)
    .filter(([name]) => name !== 'before')
    .map(([name, value]) => (value === '' ? `--${name}` : `--${name} ${quoteForShell(value)}`))
  const line = ['fairgate-recorder logs', ...kept, `--before ${quoteForShell(next)}`].join(' ')
  const older = isNothing ? `Not among the newest ${farthestLook} entries. Continue: ` : 'Older entries: '
  return [[], [['faint', older], line]]
}
