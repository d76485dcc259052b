// Roles of admin keys, and which of them a route is open to. Without schemas, because the first view of the console needs it.

export const roles = ['organiser', 'judge', 'operator'] as const
export type Role = (typeof roles)[number]

/** Organisers may call every route. `judges` and `operators` say who else may. */
export type OpenTo = 'organisers' | 'judges' | 'operators' | 'everyone'

export const rolesOf: Readonly<Record<OpenTo, readonly Role[]>> = {
  organisers: ['organiser'],
  judges: ['organiser', 'judge'],
  operators: ['organiser', 'operator'],
  everyone: roles,
}
