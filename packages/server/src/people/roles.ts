// Decides which role may call which route of the admin door: a route declares who may call it, and this file checks that.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { type CallerRole, type OpenTo, rolesOf } from '@fairgate/contracts/management/roles.ts'

/** `isBlind`: the caller is a judge, and judging is blind. */
export type Standing = { readonly role: CallerRole; readonly isBlind: boolean }

const names: Readonly<Record<CallerRole, string>> = {
  organiser: 'an organiser',
  head_judge: 'a head judge',
  judge: 'a judge',
  operator: 'an operator',
  panel_judge: 'a judge of the panel',
}

/**
 * Throws ApiError `admin_forbidden` (403) with the reason and the allowed roles. While judging is blind, the key of a judge opens only what
 * is open to every caller.
 */
export function requireRole({ role, isBlind }: Standing, openTo: OpenTo): void {
  const isHidden = isBlind && role === 'judge' && openTo !== 'signed_in'
  if (rolesOf[openTo].includes(role) && !isHidden) return
  throw new ApiError('admin_forbidden', { message: isHidden ? blindText : explainRefusal(role, openTo) })
}

const blindText =
  'Judging is blind, and this page would show names to the key of a judge. Read and score at /judging: ask the organisers for a claim link.'

function explainRefusal(role: CallerRole, openTo: OpenTo): string {
  if (openTo === 'panel')
    return 'Only a judge of the panel can do this. Sign in at /judging with your claim link.'
  const who = rolesOf[openTo].map(name => names[name]).join(' or ')
  return role === 'panel_judge'
    ? `A claim link opens /judging and nothing else. Use the key of ${who}.`
    : `The key of ${names[role]} does not allow this. Use the key of ${who}.`
}
