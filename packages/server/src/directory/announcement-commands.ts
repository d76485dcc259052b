// Creates and removes announcements: one audited write each, shown at once by all processes.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { NewAnnouncementBody } from '@fairgate/contracts/management/announcements.ts'
import type { ActionBody } from '@fairgate/contracts/management/planned-action.ts'
import {
  type Announcement,
  auditAnnouncement,
  checkLink,
  checkText,
  countAudience,
  stateAt,
  toAnnouncementRow,
} from './announcements.ts'
import type { CommandDependencies } from './commands.ts'
import { parseZonedMoment } from './parse-times.ts'
import { type ActionResult, carryOut, type Plan, planChange } from './planned-action.ts'
import { refuseValue, requireTeam } from './refusals.ts'

/** Current and scheduled announcements. Every process has all of them in memory. */
const maxAnnouncements = 200

/**
 * A new announcement with its audit row, built from the current state. Throws ApiError `invalid_request`, `team_not_found`, and `conflict`
 * (409) if there are too many already.
 */
export function planAnnouncement(
  { memory, newId }: Pick<CommandDependencies, 'memory' | 'newId'>,
  body: NewAnnouncementBody,
  actor: string,
  now: number,
) {
  const { timeZone } = memory.event()
  const from = body.from == null ? now : parseZonedMoment('from', body.from, timeZone)
  const until = body.until == null ? null : parseZonedMoment('until', body.until, timeZone)
  if (until !== null && until <= Math.max(from, now))
    throw refuseValue('until', 'choose a time in the future, after `from`.')
  const { teams = 'all' } = body
  const announcement: Announcement = {
    announcementId: `an_${newId()}`,
    text: checkText('text', body.text),
    link: body.link == null ? null : checkLink('link', body.link),
    teams: teams === 'all' ? null : [...new Set(teams.map(teamId => requireTeam(memory, teamId).teamId))],
    from,
    until,
    removedAt: null,
    createdAt: now,
    createdBy: actor,
  }
  const lasting = memory.announcements().filter(other => isLasting(other, now))
  if (lasting.length >= maxAnnouncements)
    throw new ApiError('conflict', {
      message: `There are ${lasting.length} announcements already. Remove one first.`,
    })
  const acting = { now, actor, reason: body.reason }
  const audit = auditAnnouncement(memory.teams(), now)(acting, 'announcement.new', null, announcement)
  return { announcement, audit }
}

/** The message that teams see, and how many teams see it. */
function planReport(
  memory: Pick<CommandDependencies['memory'], 'teams'>,
  announcement: Announcement,
  { from }: Pick<NewAnnouncementBody, 'from'>,
): Plan {
  const { text, link, until } = announcement
  const count = countAudience(announcement, memory.teams())
  // If no start is given, it starts when it is created.
  const begin = from == null ? null : isoTime(announcement.from)
  const changes = [
    ...planChange('announcement.text', 'event', null, text, count),
    ...planChange('announcement.link', 'event', null, link, count),
    ...planChange('announcement.from', 'event', null, begin, count),
    ...planChange('announcement.until', 'event', null, isoTime(until), count),
  ]
  return { changes }
}

/** `actor` made the change, for the audit. Changes throw ApiError `conflict` (409) if other writers kept winning. */
export function createAnnouncementCommands(dependencies: CommandDependencies) {
  const { memory, write, run, clock } = dependencies
  return {
    /** Throws ApiError `invalid_request`, `team_not_found`, and `conflict` (409) if there are too many already. */
    announce: (body: NewAnnouncementBody, actor: string): Promise<ActionResult<Announcement>> =>
      carryOut({ run, clock }, body, {
        plan: now => {
          const { announcement, audit } = planAnnouncement(dependencies, body, actor, now)
          return { plan: planReport(memory, announcement, body), announcement, audit }
        },
        make: async ({ announcement, audit }) => {
          const version = await write.insertAnnouncement({ row: toAnnouncementRow(announcement), audit })
          return memory.commit(version, { announcements: [announcement] }, announcement)
        },
      }),
    /** Throws ApiError `announcement_not_found`, also if it was removed before. */
    removeAnnouncement: (
      announcementId: string,
      action: ActionBody,
      actor: string,
    ): Promise<ActionResult<Announcement>> =>
      carryOut({ run, clock }, action, {
        plan: () => {
          const before = memory.findAnnouncement(announcementId)
          if (before === undefined || before.removedAt !== null)
            throw new ApiError('announcement_not_found', { param: 'announcement_id' })
          const count = countAudience(before, memory.teams())
          const changes = planChange('announcement.text', announcementId, before.text, null, count)
          return { plan: { changes, basis: [memory.versionOf(before)] }, before }
        },
        make: async ({ before }, now) => {
          const after: Announcement = { ...before, removedAt: now }
          const acting = { now, actor, reason: action.reason }
          const version = await write.removeAnnouncement({
            row: { announcement_id: announcementId, removed_at: now },
            seen: memory.versionOf(before),
            audit: auditAnnouncement(memory.teams(), now)(acting, 'announcement.remove', before, after),
          })
          return memory.commit(version, { announcements: [after] }, after)
        },
      }),
  }
}

function isLasting(announcement: Announcement, now: number): boolean {
  const state = stateAt(announcement, now)
  return state === 'shown' || state === 'coming'
}
