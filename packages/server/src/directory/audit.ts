// Audit rows: who did what, when and why, with the record as clients see it before and after. No row holds a secret.
import type { AuditEntry } from '../store/statements/audit.ts'
import { buildKeySettings, buildLogTokenRecord, buildMemberSettings, buildTeamSettings } from './records.ts'
import type { Key, LogToken, Member, Team } from './types.ts'

/** The actor, the time (Unix ms) and the reason given. */
export type Acting = {
  readonly now: number
  readonly actor: string
  readonly reason?: string | null | undefined
  /** Set if the action changed many records. */
  readonly bulkId?: string | null
}

/** `teamId` is '' and a state is null if there is none. */
export function toAuditRow(
  { now, actor, reason = null, bulkId = null }: Acting,
  audited: {
    readonly action: string
    readonly teamId?: string
    readonly target: string
    readonly before: object | null
    readonly after: object | null
  },
): AuditEntry {
  const { action, teamId = '', target, before, after } = audited
  const write = (state: object | null) => (state === null ? null : JSON.stringify(state))
  const named = { action, actor, target, at: now, team_id: teamId }
  return { ...named, before: write(before), after: write(after), reason, bulk_id: bulkId }
}

type Named = { readonly target: string; readonly teamId?: string }

/** Audit rows of one kind of record: created, changed, or deleted. */
export function auditOf<Held>(describe: (record: Held) => object, nameOf: (record: Held) => Named) {
  return (acting: Acting, action: string, before: Held | null, after: Held | null): AuditEntry => {
    const record = after ?? before
    return toAuditRow(acting, {
      action,
      ...(record === null ? { target: '' } : nameOf(record)),
      before: before === null ? null : describe(before),
      after: after === null ? null : describe(after),
    })
  }
}

export const auditTeam = auditOf<Team>(buildTeamSettings, ({ teamId }) => ({ teamId, target: teamId }))
export const auditKey = auditOf<Key>(buildKeySettings, ({ teamId, keyHash }) => ({ teamId, target: keyHash }))
export const auditMember = auditOf<Member>(buildMemberSettings, ({ teamId, memberId }) => {
  return { teamId, target: memberId }
})
export const auditLogToken = auditOf<LogToken>(buildLogTokenRecord, ({ teamId, tokenId }) => {
  return { teamId, target: tokenId }
})
