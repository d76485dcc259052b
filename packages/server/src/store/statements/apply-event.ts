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
      await db
        .insertInto('teams')
        .values({ ...team, version })
        .execute()
      await createBoard(db, { teamId: team.team_id, now: team.created_at })
    }
    for (const { team_id, ...changes } of input.changedTeams) {
      await db
        .updateTable('teams')
        .set({ ...changes, version })
        .where('team_id', '=', team_id)
        .execute()
    }
    for (const member of input.newMembers) {
      await db
        .insertInto('members')
        .values({ ...member, version })
        .execute()
    }
    for (const { member_id, ...changes } of input.changedMembers) {
      await db
        .updateTable('members')
        .set({ ...changes, version })
        .where('member_id', '=', member_id)
        .execute()
    }
    for (const key of input.newKeys) {
      await db
        .insertInto('gateway_keys')
        .values({ ...key, version })
        .execute()
    }
    for (const { key_hash, ...changes } of input.changedKeys) {
      await db
        .updateTable('gateway_keys')
        .set({ ...changes, version })
        .where('key_hash', '=', key_hash)
        .execute()
    }
    for (const announcement of input.newAnnouncements) {
      await db
        .insertInto('announcements')
        .values({ ...announcement, version })
        .execute()
    }
    for (const { announcement_id, ...changes } of input.changedAnnouncements) {
      await db
        .updateTable('announcements')
        .set({ ...changes, version })
        .where('announcement_id', '=', announcement_id)
        .execute()
    }
    await appendAudit(db, input.audit)
    return true
  })
}
