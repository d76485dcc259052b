// Reads as many entries as asked for, over several pages where one does not hold them.
import { maximumPageSize } from '@fairgate/contracts/logbook/limits.ts'
import {
  type LogEntriesPage,
  type LoggedEntry,
  logEntriesPageSchema,
} from '@fairgate/contracts/management/log-entries.ts'
import type { CommandContext } from '../command-context.ts'

export type EntriesQuery = {
  readonly team_id: string | undefined
  readonly before: string | undefined
  readonly event: string | undefined
  readonly tool: string | undefined
}

/** The reply of the admin door, as if one page could hold `limit` entries. */
export async function readEntries(
  ask: CommandContext['ask'],
  query: EntriesQuery,
  limit: number,
): Promise<LogEntriesPage> {
  const items: LoggedEntry[] = []
  for (let { before } = query; ; ) {
    const size = Math.min(limit - items.length, maximumPageSize)
    const page = await ask(
      { get: '/logs/entries', query: { ...query, limit: size, before } },
      logEntriesPageSchema,
    )
    items.push(...page.items)
    if (page.next_before === null || page.items.length === 0 || items.length >= limit)
      return { items, next_before: page.next_before }
    before = page.next_before
  }
}
