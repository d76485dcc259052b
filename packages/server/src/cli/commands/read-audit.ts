// Reads as many rows of the audit as asked for, over several pages where one does not hold them.
import {
  type AuditPage,
  type AuditRow,
  auditPageSchema,
  maximumAuditPage,
} from '@fairgate/contracts/management/audit.ts'
import type { CommandContext } from '../command-context.ts'

/** The reply of the admin door, as if one page could hold `limit` rows. */
export async function readAudit(
  ask: CommandContext['ask'],
  team: string | undefined,
  limit: number,
): Promise<AuditPage> {
  const items: AuditRow[] = []
  let before: number | undefined
  for (;;) {
    const size = Math.min(limit - items.length, maximumAuditPage)
    const page = await ask(
      { get: '/audit', query: { limit: size, before_id: before, team_id: team } },
      auditPageSchema,
    )
    items.push(...page.items)
    if (page.next_before_id === null || page.items.length === 0 || items.length >= limit) {
      return { items, next_before_id: page.next_before_id }
    }
    before = page.next_before_id
  }
}
