// GET /audit: every management change, newest first, paged by id so that new rows do not shift a page.
import {
  type AuditPage,
  type AuditRow,
  auditPageSchema,
  auditQuerySchema,
  defaultAuditPage,
} from '@fairgate/contracts/management/audit.ts'
import Type from 'typebox'
import { isoTime } from '../../directory/iso-time.ts'
import { readJsonColumn } from '../../directory/json-column.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import type { AuditRecord, ListAuditInput } from '../../store/statements/audit.ts'
import { answer } from '../answer.ts'
import type { AdminCaller } from '../authenticate-admin.ts'

export type ListAuditDependencies = {
  readonly listAudit: (input: ListAuditInput) => Promise<AuditRecord[]>
}

const stateSchema = Type.Record(Type.String(), Type.Unknown())

export function listAuditRoute({ listAudit }: ListAuditDependencies): Route<AdminCaller> {
  return defineRoute<AdminCaller, undefined, typeof auditQuerySchema>({
    method: 'GET',
    path: '/audit',
    tag: 'Audit',
    summary: 'Every management change: who, when, what, before and after',
    query: auditQuerySchema,
    replies: { 200: auditPageSchema },
    errors: ['admin_unauthorized', 'invalid_request', 'unavailable'],
    handle: async (_caller, { query }) => {
      const { limit = defaultAuditPage, before_id: beforeId = null, team_id: teamId = null } = query
      // One row more than asked for tells whether another page follows.
      const rows = await listAudit({ limit: limit + 1, beforeId, teamId })
      const items = rows.slice(0, limit).map(buildAuditRow)
      const page: AuditPage = {
        items,
        next_before_id: rows.length > limit ? (items.at(-1)?.id ?? null) : null,
      }
      return answer(page)
    },
  })
}

function buildAuditRow(row: AuditRecord): AuditRow {
  const read = (column: 'before' | 'after') => {
    const text = row[column]
    return text === null ? null : readJsonColumn(`audit.${column}`, stateSchema, text)
  }
  return { ...row, at: isoTime(row.at), before: read('before'), after: read('after') }
}
