// Decides which role may call which route of the admin door: a route declares who may call it, and this file checks that.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { type OpenTo, type Role, rolesOf } from '@fairgate/contracts/management/roles.ts'

/** Throws ApiError `admin_forbidden` (403) with the allowed roles. */
export function requireRole(role: Role, openTo: OpenTo): void {
  if (rolesOf[openTo].includes(role)) return
  const who = rolesOf[openTo].map(withArticle).join(' or ')
  throw new ApiError('admin_forbidden', {
    message: `The key of ${withArticle(role)} does not allow this. Use the key of ${who}.`,
  })
}

function withArticle(role: Role): string {
  return role === 'judge' ? `a ${role}` : `an ${role}`
}
