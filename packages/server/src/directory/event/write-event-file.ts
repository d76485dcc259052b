// Writes the event, its teams, members and phases as an event file. Applying the file unchanged changes nothing.
import type {
  EventFile,
  EventFileJudging,
  EventFileKey,
  EventFileMember,
  EventFileTeam,
} from '@fairgate/contracts/management/event-file.ts'
import { formatLocalMoment } from '@fairgate/contracts/text/zoned-time.ts'
import { stringify } from 'yaml'
import { type NanoDollars, toUsdNumber } from '../../ledger/money.ts'
import type { Key, Member, Owner, Team } from '../types.ts'
import type { Event, Phase } from './event.ts'
import type { ApplyState } from './plan-apply.ts'
import { writeNotices } from './plan-notices.ts'

/**
 * Leaves out blocked teams and keys, and expired notices, because the file format has no field for them. `now` in Unix ms; `parallel`: how
 * many calls a key may run at once if not set.
 */
export function writeEventFile(
  { event, teams, membersOfTeam, keysOfTeam, announcements }: ApplyState,
  judging: EventFileJudging | null,
  now: number,
  parallel: number,
): string {
  const { name, timeZone, capNano, phases, submission } = event
  const notices = writeNotices(announcements, timeZone, now)
  const file: EventFile = {
    event: { name, time_zone: timeZone, ...(capNano === null ? {} : { budget: toUsdNumber(capNano) }) },
    teams: teams
      .filter(({ blocked }) => blocked !== true)
      .map(team => describeTeam(team, membersOfTeam(team.teamId), keysOfTeam(team.teamId), parallel)),
    ...(phases.length === 0 ? {} : { phases: phases.map(phase => describePhase(phase, timeZone)) }),
    ...(submission === null ? {} : { submission: describeSubmission(submission) }),
    ...(notices.length === 0 ? {} : { notices }),
    ...(judging === null ? {} : { judging }),
  }
  return stringify(file, { lineWidth: 0 })
}

function describeTeam(
  team: Team,
  members: readonly Member[],
  keys: readonly Key[],
  parallel: number,
): EventFileTeam {
  const { teamId, alias } = team
  const limits = describeModelLimits(team)
  return {
    id: teamId,
    ...(alias === teamId ? {} : { name: alias }),
    ...describeLimits(team),
    ...(Object.keys(limits).length === 0 ? {} : { model_limits: limits }),
    ...(members.length === 0
      ? {}
      : { members: members.map(member => describeMember(member, keys, parallel)) }),
  }
}

function describeMember(
  { memberId, name, email }: Member,
  keys: readonly Key[],
  parallel: number,
): EventFileMember {
  const own = keys.filter(key => key.memberId === memberId && key.blocked !== true && key.alias !== '')
  const aliases = Map.groupBy(own, ({ alias }) => alias)
  // If two keys had one alias, the file would be ambiguous. The key of a claim link has the member's name and is created there.
  const described = [...aliases.values()].flatMap(same =>
    same.length === 1 ? same.map(key => describeKey(key, parallel)) : [],
  )
  const listed = described.filter(key => key.alias !== name || Object.keys(key).length > 1)
  return {
    name,
    ...(email === null ? {} : { email }),
    ...(listed.length === 0 ? {} : { keys: listed }),
  }
}

function describeKey(key: Key, parallel: number): EventFileKey {
  const { alias, maxParallelRequests } = key
  const { models, ...limits } = describeLimits(key)
  return {
    alias,
    ...limits,
    ...(maxParallelRequests === parallel ? {} : { parallel: maxParallelRequests }),
    ...(models === undefined ? {} : { models }),
  }
}

/** Fields that both teams and keys may have. */
function describeLimits({ maxBudget, budgetDuration, rpmLimit, tpmLimit, models }: Owner) {
  return {
    ...writeBudget(maxBudget),
    ...(budgetDuration === null ? {} : { budget_duration: budgetDuration }),
    ...(rpmLimit === null ? {} : { rpm: rpmLimit }),
    ...(tpmLimit === null ? {} : { tpm: tpmLimit }),
    ...(models.length === 0 ? {} : { models: [...models] }),
  }
}

function writeBudget(amount: NanoDollars | null): { readonly budget?: number } {
  return amount === null ? {} : { budget: toUsdNumber(amount) }
}

function describeModelLimits({
  modelRpmLimit,
  modelTpmLimit,
}: Team): NonNullable<EventFileTeam['model_limits']> {
  const ids = [...new Set([...modelRpmLimit.keys(), ...modelTpmLimit.keys()])]
  return Object.fromEntries(
    ids.map(id => {
      const [rpm, tpm] = [modelRpmLimit.get(id), modelTpmLimit.get(id)]
      return [id, { ...(rpm === undefined ? {} : { rpm }), ...(tpm === undefined ? {} : { tpm }) }]
    }),
  )
}

function describeSubmission({
  disclosure,
  ...others
}: NonNullable<Event['submission']>): NonNullable<EventFile['submission']> {
  return { ...(disclosure === null ? {} : { disclosure }), ...others }
}

function describePhase(phase: Phase, timeZone: string): NonNullable<EventFile['phases']>[number] {
  const { name, from, until, gateway, models, budgetNano, accounting } = phase
  const { entriesUntil, submissionsUntil } = phase
  return {
    name,
    from: formatLocalMoment(from, timeZone),
    ...(until === null ? {} : { until: formatLocalMoment(until, timeZone) }),
    ...(gateway === 'open' ? {} : { gateway }),
    ...(models === null ? {} : { models: [...models] }),
    ...writeBudget(budgetNano),
    ...(accounting === 'continue' ? {} : { accounting }),
    ...(entriesUntil === null ? {} : { entries_until: formatLocalMoment(entriesUntil, timeZone) }),
    ...(submissionsUntil === null
      ? {}
      : { submissions_until: formatLocalMoment(submissionsUntil, timeZone) }),
  }
}
