// Puts an event and the facts of its repository together into the entry that is sent (spec 2.10).

import { cutText } from '@fairgate/contracts/logbook/cut-text.ts'
import { truncationLimits } from '@fairgate/contracts/logbook/limits.ts'
import type { LogEntry } from '@fairgate/contracts/logbook/log-entry.ts'
import type { RepositoryFacts } from '../git/read-facts.ts'
import type { EventFields, HappenedEvent } from '../tools/tool.ts'
import { type FittedFields, fitFields } from './fit-fields.ts'
import { formatLocalTime } from './local-time.ts'

export function buildEntry(
  { ts, tool, event, sessionId, fields }: HappenedEvent,
  facts: RepositoryFacts,
): LogEntry & FittedFields {
  const { repo, branch, commit, student } = facts
  const head = { ts: formatLocalTime(ts), tool, event, session_id: sessionId, repo, branch, commit, student }
  return { ...head, ...fitFields(cutFields(fields)) }
}

/** Members that are longer than the specification allows are cut, never within a character. Everything else stays as it was. */
export function cutFields(fields: EventFields): EventFields {
  let cut = fields
  for (const [name, limit] of Object.entries(truncationLimits)) {
    const value = Object.entries(fields).find(([member]) => member === name)?.[1]
    if (typeof value === 'string') cut = { ...cut, [name]: cutText(value, limit) }
  }
  return cut
}
