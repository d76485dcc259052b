// What is known of an action beyond its own dialog: what undoes it, and who reads its reason.
import type { ActReply } from '@fairgate/contracts/management/planned-act.ts'
import type { PlannedRequest } from './act-dialog.tsx'

const opposites: Readonly<Record<string, string>> = {
  '/teams/lock': '/teams/unlock',
  '/teams/unlock': '/teams/lock',
  '/teams/block': '/teams/unblock',
  '/teams/unblock': '/teams/block',
  '/key/block': '/key/unblock',
  '/event/pause': '/event/resume',
  '/event/end': '/event/reopen',
}

/** The request that takes an action back, for those teams alone that it has changed. Null if there is none. */
export function findUndo({ path, body }: PlannedRequest, reply: unknown): PlannedRequest | null {
  const changes = (reply as Partial<ActReply> | undefined)?.changes ?? []
  const teams = [...new Set(changes.map(({ subject }) => subject))]
  const opposite = opposites[path]
  if (opposite !== undefined && path.startsWith('/teams/'))
    return teams.length === 0 ? null : { method: 'POST', path: opposite, body: { teams } }
  if (opposite !== undefined)
    return { method: 'POST', path: opposite, body: path.startsWith('/event/') ? {} : body }
  const amount = body?.amount_nano
  if (path === '/teams/grant' && typeof amount === 'number' && teams.length > 0)
    return { method: 'POST', path, body: { teams, amount_nano: -amount } }
  return null
}

/** Teams get the reason with every call that is refused, and on their page. */
export function isReasonForTeams({ path }: PlannedRequest): boolean {
  return path === '/event/pause' || path === '/event/end'
}
