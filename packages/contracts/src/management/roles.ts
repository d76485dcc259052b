// Roles of callers of the admin door, and which of them a route is open to. Without schemas, because the first view of the console needs it.

/** Of admin keys. */
export const roles = ['organiser', 'head_judge', 'judge', 'operator'] as const
export type Role = (typeof roles)[number]

/** A judge of the panel signs in with a claim link and has no key. */
export const callerRoles = [...roles, 'panel_judge'] as const
export type CallerRole = (typeof callerRoles)[number]

/**
 * `head_judges` and `judges` include organisers; `head_judge` and `panel` do not. `everyone` stands for every admin key, and `signed_in`
 * for every caller.
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

export const rolesOf: Readonly<Record<OpenTo, readonly CallerRole[]>> = {
  organisers: ['organiser'],
  head_judges: ['organiser', 'head_judge'],
  head_judge: ['head_judge'],
  judges: ['organiser', 'head_judge', 'judge'],
  operators: ['organiser', 'operator'],
  everyone: roles,
  panel: ['panel_judge'],
  signed_in: callerRoles,
}
