// Everything that the file of an event changes, as one change of the directory.
import type { Kysely } from 'kysely'
import type { Schema } from '../schema/schema.ts'
import type { AnnouncementRow } from './announcements.ts'
import { type AuditEntry, appendAudit } from './audit.ts'
import { createBoard } from './boards.ts'
import { tryChange } from './directory-version.ts'
import { type EventChange, writeEvent } from './event-settings.ts'
import type { KeyRow } from './gateway-keys.ts'
import type { MemberRow } from './members.ts'
import { changeNumbered, insertNumbered } from './numbered-rows.ts'
import type { TeamRow } from './teams.ts'

export type ApplyInput = {
  /** The number of the last change when this one was worked out: it rests on everything that the directory had then. */
  readonly seen: number
  /** Null where the settings of the event stay as they are. */
  readonly event: EventChange | null
  readonly newTeams: readonly TeamRow[]
  readonly changedTeams: readonly TeamRow[]
  readonly newMembers: readonly MemberRow[]
  readonly changedMembers: readonly MemberRow[]
  readonly newKeys: readonly KeyRow[]
  readonly changedKeys: readonly KeyRow[]
  readonly newAnnouncements: readonly AnnouncementRow[]
  readonly changedAnnouncements: readonly AnnouncementRow[]
  readonly audit: readonly AuditEntry[]
}

/** Answers the number of the change, or null when there was another one since `seen`; nothing is written then. */
export async function applyEventChanges(db: Kysely<Schema>, input: ApplyInput): Promise<number | null> {
  return await tryChange(db, async version => {
    if (version !== input.seen + 1) return false
    // The event first: the boards of new teams take its locks.
    if (input.event !== null && !(await writeEvent(db, input.event, version)))
      throw new Error('The settings of the event have a version that no change has written.')
    for (const team of input.newTeams) {
      await insertNumbered(db, 'teams', team, version)
      await createBoard(db, { teamId: team.team_id, now: team.created_at })
    }
    for (const team of input.changedTeams) await changeNumbered(db, 'teams', team, version)
    for (const member of input.newMembers) await insertNumbered(db, 'members', member, version)
    for (const member of input.changedMembers) await changeNumbered(db, 'members', member, version)
    for (const key of input.newKeys) await insertNumbered(db, 'gateway_keys', key, version)
    for (const key of input.changedKeys) await changeNumbered(db, 'gateway_keys', key, version)
    for (const row of input.newAnnouncements) await insertNumbered(db, 'announcements', row, version)
    for (const row of input.changedAnnouncements) await changeNumbered(db, 'announcements', row, version)
    await appendAudit(db, input.audit)
    return true
  })
}
