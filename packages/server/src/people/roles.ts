// Decides which role may call which route of the admin door: a route declares who may call it, and this file checks that.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { type Role, roles } from '@fairgate/contracts/management/access.ts'

/** Organisers may call every route. `judges` and `operators` say who else may. */
export type OpenTo = 'organisers' | 'judges' | 'operators' | 'everyone'

const allowed: Readonly<Record<OpenTo, readonly Role[]>> = {
  organisers: ['organiser'],
  judges: ['organiser', 'judge'],
  operators: ['organiser', 'operator'],
  everyone: roles,
}

/** Throws ApiError `admin_forbidden` (403) with the allowed roles. */
export function requireRole(role: Role, openTo: OpenTo): void {
  if (allowed[openTo].includes(role)) return
  const who = allowed[openTo].map(withArticle).join(' or ')
  throw new ApiError('admin_forbidden', {
    message: `The key of ${withArticle(role)} does not allow this. Use the key of ${who}.`,
  })
}

function withArticle(role: Role): string {
  return role === 'judge' ? `a ${role}` : `an ${role}`
}
