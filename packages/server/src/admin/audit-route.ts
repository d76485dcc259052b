// GET /audit: all management changes, newest first, paged by id so that new rows do not shift a page.

import { isoTime } from '@fairgate/contracts/iso-time.ts'
import {
  type AuditPage,
  type AuditRow,
  auditPageSchema,
  auditQuerySchema,
  defaultAuditPage,
} from '@fairgate/contracts/management/audit.ts'
import Type from 'typebox'
import { readJsonColumn } from '../directory/directory-rows.ts'
import type { AuditRecord } from '../store/statements/audit.ts'
import { type AdminRoute, lookupRoute, type Management } from './management-route.ts'

export function auditRoute({ read: { listAudit } }: Management): AdminRoute {
  return lookupRoute({
    tag: 'Audit',
    openTo: 'operators',
    path: '/audit',
    summary: 'List all management changes: who, when, what, before and after',
    query: auditQuerySchema,
    reply: auditPageSchema,
    errors: ['invalid_request', 'unavailable'],
    look: async (query): Promise<AuditPage> => {
      const { limit = defaultAuditPage, before_id: beforeId = null, team_id: teamId = null } = query
      // One extra row shows whether another page follows.
      const rows = await listAudit({ limit: limit + 1, beforeId, teamId })
      const items = rows.slice(0, limit).map(buildAuditRow)
      return { items, next_before_id: rows.length > limit ? (items.at(-1)?.id ?? null) : null }
    },
  })
}

const stateSchema = Type.Record(Type.String(), Type.Unknown())

function buildAuditRow(row: AuditRecord): AuditRow {
  const read = (column: 'before' | 'after') => {
    const text = row[column]
    return text === null ? null : readJsonColumn(`audit.${column}`, stateSchema, text)
  }
  const { bulk_id: bulkId, reason, ...shown } = row
  return {
    ...shown,
    at: isoTime(row.at),
    before: read('before'),
    after: read('after'),
    ...(bulkId === null ? {} : { bulk_id: bulkId }),
    ...(reason === null ? {} : { reason }),
  }
}
