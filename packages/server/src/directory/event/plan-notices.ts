// Compares the notices of an event file with the existing announcements: which are created, changed and removed. Pure.
import type { EventFile, EventFileNotice } from '@fairgate/contracts/management/event-file.ts'
import type { PlannedChange } from '@fairgate/contracts/management/planned-action.ts'
import { formatLocalMoment } from '@fairgate/contracts/text/zoned-time.ts'
import { type Announcement, checkLink, checkText, stateAt } from '../announcements.ts'
import { parseZonedMoment } from '../parse-times.ts'
import { planChange } from '../planned-action.ts'
import { refuseValue } from '../refusals.ts'

/** In the author's form: the id is assigned when the row is written. */
export type PlannedNotice = Pick<Announcement, 'text' | 'link' | 'teams' | 'from' | 'until'>

export type NoticesPlan = {
  readonly newNotices: readonly PlannedNotice[]
  readonly changedNotices: readonly { readonly before: Announcement; readonly after: Announcement }[]
  readonly changes: readonly PlannedChange[]
}

export type NoticesState = {
  readonly announcements: readonly Announcement[]
  /** Counts for notices in the file and existing announcements. */
  readonly teamIds: ReadonlySet<string>
  readonly timeZone: string
  /** Unix ms. */
  readonly now: number
}

/**
 * A notice is identified by its text, so a different text is a different notice. Throws ApiError `invalid_request` that names the member of
 * the file. `isPruned`: removes current and scheduled ones that the file does not list.
 */
export function planNotices(
  { notices = [] }: Pick<EventFile, 'notices'>,
  state: NoticesState,
  isPruned: boolean,
): NoticesPlan {
  const { announcements, now, timeZone } = state
  const present = announcements.filter(({ removedAt }) => removedAt === null)
  const named = notices.map((notice, index) => {
    const place = `notices[${index}]`
    const text = checkText(`${place}.text`, notice.text)
    const before = present.findLast(announcement => announcement.text === text) ?? null
    return { before, after: buildNotice(notice, text, before, place, state) }
  })
  for (const [index, { after }] of named.entries())
    if (named.findIndex(other => other.after.text === after.text) < index)
      throw refuseValue(`notices[${index}].text`, 'the same notice is in the file twice.')
  const newNotices = named.flatMap(({ before, after }) => (before === null ? [after] : []))
  const changed = named.flatMap(({ before, after }) => {
    const changes = before === null ? [] : listChanges(before, after, timeZone)
    return before === null || changes.length === 0
      ? []
      : [{ before, after: { ...before, ...after }, changes }]
  })
  const removed = isPruned
    ? present.filter(
        ({ text, ...announcement }) =>
          ['shown', 'coming'].includes(stateAt({ text, ...announcement }, now)) &&
          !named.some(({ after }) => after.text === text),
      )
    : []
  return {
    newNotices,
    changedNotices: [
      ...changed.map(({ before, after }) => ({ before, after })),
      ...removed.map(before => ({ before, after: { ...before, removedAt: now } })),
    ],
    changes: [
      ...newNotices.flatMap(({ text, teams }) => planChange('notice', text, null, nameAudience(teams))),
      ...changed.flatMap(({ changes }) => changes),
      ...removed.flatMap(({ text, teams }) => planChange('notice', text, nameAudience(teams), null)),
    ],
  }
}

/** Fields of a notice that the file omits are unchanged; null removes link and end. */
function buildNotice(
  notice: EventFileNotice,
  text: string,
  before: Announcement | null,
  place: string,
  { teamIds, timeZone, now }: NoticesState,
): PlannedNotice {
  const parse = (member: 'from' | 'until', moment: string) =>
    parseZonedMoment(`${place}.${member}`, moment, timeZone)
  const from = notice.from == null ? (before?.from ?? now) : parse('from', notice.from)
  const kept = notice.until === undefined ? (before?.until ?? null) : null
  const until = notice.until == null ? kept : parse('until', notice.until)
  if (until !== null && until <= from) throw refuseValue(`${place}.until`, 'choose a time after `from`.')
  const stray = Array.isArray(notice.teams) ? notice.teams.find(teamId => !teamIds.has(teamId)) : undefined
  if (stray !== undefined) throw refuseValue(`${place}.teams`, `there is no team "${stray}".`)
  const { teams, link } = notice
  return {
    text,
    link:
      link === undefined ? (before?.link ?? null) : link === null ? null : checkLink(`${place}.link`, link),
    teams: teams === undefined ? (before?.teams ?? null) : teams === 'all' ? null : [...new Set(teams)],
    from,
    until,
  }
}

function listChanges(before: PlannedNotice, after: PlannedNotice, timeZone: string): PlannedChange[] {
  const show = (moment: number | null) => (moment === null ? null : formatLocalMoment(moment, timeZone))
  const plan = (what: string, one: string | null, other: string | null) =>
    planChange(`notice.${what}`, after.text, one, other)
  return [
    ...plan('link', before.link, after.link),
    ...plan('teams', nameAudience(before.teams), nameAudience(after.teams)),
    ...plan('from', show(before.from), show(after.from)),
    ...plan('until', show(before.until), show(after.until)),
  ]
}

function nameAudience(teams: readonly string[] | null): string {
  return teams === null ? 'all' : teams.join(',')
}

/** For export: current and scheduled ones. */
export function writeNotices(
  announcements: readonly Announcement[],
  timeZone: string,
  now: number,
): EventFileNotice[] {
  return announcements
    .filter(announcement => ['shown', 'coming'].includes(stateAt(announcement, now)))
    .map(({ text, link, teams, from, until }) => ({
      text,
      ...(link === null ? {} : { link }),
      ...(teams === null ? {} : { teams: [...teams] }),
      from: formatLocalMoment(from, timeZone),
      ...(until === null ? {} : { until: formatLocalMoment(until, timeZone) }),
    }))
}
