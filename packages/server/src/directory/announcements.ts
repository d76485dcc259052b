// Announcements: who sees each one and when, what its text may contain, and how it is shown to organisers and teams. Pure rules.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { ShownAnnouncement } from '@fairgate/contracts/info/announcements.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { AnnouncementRecord } from '@fairgate/contracts/management/announcements.ts'
import { showLine } from '@fairgate/contracts/text/show-hidden.ts'
import Type from 'typebox'
import type { AnnouncementsTable } from '../store/schema/notices.ts'
import type { AnnouncementRow } from '../store/statements/announcements.ts'
import { auditOf } from './audit.ts'
import { readJsonColumn } from './directory-rows.ts'
import { refuseValue } from './refusals.ts'
import type { Team } from './types.ts'

/** Times in Unix ms. It is shown in [from, until). */
export type Announcement = {
  readonly announcementId: string
  readonly text: string
  readonly link: string | null
  /** Null: all teams. */
  readonly teams: readonly string[] | null
  readonly from: number
  /** Null: until it is removed. */
  readonly until: number | null
  readonly removedAt: number | null
  readonly createdAt: number
  readonly createdBy: string
}

/** More than this at once, and a team reads none of it. */
const maxShown = 20

export function stateAt({ from, until, removedAt }: Announcement, now: number): AnnouncementRecord['state'] {
  if (removedAt !== null) return 'removed'
  if (now < from) return 'coming'
  return until === null || now < until ? 'shown' : 'over'
}

/** The announcements that a team sees at `now`, newest first. */
export function listShown(
  announcements: readonly Announcement[],
  teamId: string,
  now: number,
): ShownAnnouncement[] {
  return announcements
    .filter(announcement => stateAt(announcement, now) === 'shown' && isFor(announcement, teamId))
    .toSorted((one, other) => other.from - one.from || other.createdAt - one.createdAt)
    .slice(0, maxShown)
    .map(buildShown)
}

export function isFor({ teams }: Pick<Announcement, 'teams'>, teamId: string): boolean {
  return teams === null || teams.includes(teamId)
}

function buildShown({ announcementId, text, link, from, until }: Announcement): ShownAnnouncement {
  return { announcement_id: announcementId, text, link, from: isoTime(from), until: isoTime(until) }
}

/** How many teams have read it. */
export type AnnouncementReads = { readonly teams: number; readonly members: number }

/** `teams`: all existing teams; blocked ones see nothing. `reads`: null if not known. */
export function buildAnnouncementRecord(
  announcement: Announcement,
  all: readonly Pick<Team, 'teamId' | 'blocked'>[],
  now: number,
  reads: AnnouncementReads | null = null,
): AnnouncementRecord {
  const state = stateAt(announcement, now)
  const { teams, createdAt, createdBy, removedAt } = announcement
  return {
    ...buildShown(announcement),
    audience: teams === null ? 'all' : [...teams],
    state,
    shown_to: state === 'shown' ? countAudience(announcement, all) : 0,
    read_count: reads?.teams ?? null,
    read_by_members: reads?.members ?? null,
    created_at: isoTime(createdAt),
    created_by: createdBy,
    removed_at: isoTime(removedAt),
  }
}

export function auditAnnouncement(teams: readonly Team[], now: number) {
  return auditOf<Announcement>(
    announcement => buildAnnouncementRecord(announcement, teams, now),
    ({ announcementId }) => ({ target: announcementId }),
  )
}

/** Teams that are not blocked, among those that it is addressed to. */
export function countAudience(
  announcement: Pick<Announcement, 'teams'>,
  all: readonly Pick<Team, 'teamId' | 'blocked'>[],
): number {
  return all.filter(({ teamId, blocked }) => blocked !== true && isFor(announcement, teamId)).length
}

/** Throws ApiError `invalid_request` for characters that control a terminal or are invisible, and for a text of more than one line. */
export function checkText(param: string, text: string): string {
  const trimmed = text.trim()
  if (trimmed === '') throw refuseValue(param, 'write at least one visible character.')
  const hidden = [...trimmed.replaceAll(emojiJoiner, '')].find(character => showLine(character) !== character)
  if (hidden !== undefined && hidden !== emojiSelector)
    throw refuseValue(
      param,
      `the character ${showLine(hidden)} controls a terminal or is invisible. Write one line of plain text.`,
    )
  return trimmed
}

/** Joins the parts of an emoji, such as a family; anywhere else it is invisible. */
const emojiJoiner =
  /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u{fe0f})\u{200d}(?=\p{Extended_Pictographic})/gu
/** Turns the character before it into an emoji. */
const emojiSelector = '\u{fe0f}'

/** Throws ApiError `invalid_request`. */
export function checkLink(param: string, link: string): string {
  const url = URL.parse(link)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:') || showLine(link) !== link)
    throw invalidRequest(param, `Invalid value for '${param}': use an http or https address.`)
  if (url.username !== '' || url.password !== '')
    throw refuseValue(param, 'an address that everyone can read must not contain credentials.')
  return url.href
}

export function toAnnouncementRow(announcement: Announcement): AnnouncementRow {
  return {
    announcement_id: announcement.announcementId,
    text: announcement.text,
    link: announcement.link,
    teams: announcement.teams === null ? null : JSON.stringify(announcement.teams),
    from_at: announcement.from,
    until_at: announcement.until,
    removed_at: announcement.removedAt,
    created_at: announcement.createdAt,
    created_by: announcement.createdBy,
  }
}

export function fromAnnouncementRow(row: AnnouncementsTable): Announcement {
  return {
    announcementId: row.announcement_id,
    text: row.text,
    link: row.link,
    teams: row.teams === null ? null : readJsonColumn('teams', Type.Array(Type.String()), row.teams),
    from: row.from_at,
    until: row.until_at,
    removedAt: row.removed_at,
    createdAt: row.created_at,
    createdBy: row.created_by,
  }
}
