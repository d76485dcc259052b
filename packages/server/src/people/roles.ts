// Decides which role may call which route of the admin door: a route declares who may call it, and this file checks that.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { type CallerRole, roles } from '@fairgate/contracts/management/access.ts'

/**
 * Who may call a route. `head_judges` and `judges` include organisers, and `head_judge` does not. `everyone` stands for every admin key;
 * `signed_in` adds judges of the panel, and keys of judges while judging is blind.
 */
export type OpenTo =
  | 'organisers'
  | 'head_judges'
  | 'head_judge'
  | 'judges'
  | 'operators'
  | 'everyone'
  | 'panel'
  | 'signed_in'

/** `isBlind`: the caller is a judge, and judging is blind. */
export type Standing = { readonly role: CallerRole; readonly isBlind: boolean }

const allowed: Readonly<Record<OpenTo, readonly CallerRole[]>> = {
  organisers: ['organiser'],
  head_judges: ['organiser', 'head_judge'],
  head_judge: ['head_judge'],
  judges: ['organiser', 'head_judge', 'judge'],
  operators: ['organiser', 'operator'],
  everyone: roles,
  panel: ['panel_judge'],
  signed_in: [...roles, 'panel_judge'],
}

const names: Readonly<Record<CallerRole, string>> = {
  organiser: 'an organiser',
  head_judge: 'a head judge',
  judge: 'a judge',
  operator: 'an operator',
  panel_judge: 'a judge of the panel',
}

/** Throws ApiError `admin_forbidden` (403) with the reason and the allowed roles. */
export function requireRole({ role, isBlind }: Standing, openTo: OpenTo): void {
  const isHidden = isBlind && role === 'judge' && openTo !== 'signed_in'
  if (allowed[openTo].includes(role) && !isHidden) return
  throw new ApiError('admin_forbidden', { message: isHidden ? blindText : explainRefusal(role, openTo) })
}

const blindText =
  'Judging is blind, and the key of a judge shows names. Read and score at /judging: ask the organisers for a claim link.'

function explainRefusal(role: CallerRole, openTo: OpenTo): string {
  if (openTo === 'panel') return 'Only judges of the panel can do this. Sign in at /judging with a claim link.'
  const who = allowed[openTo].map(name => names[name]).join(' or ')
  return role === 'panel_judge'
    ? `A claim link opens /judging and nothing else. This needs the key of ${who}.`
    : `The key of ${names[role]} does not allow this. Use the key of ${who}.`
}
