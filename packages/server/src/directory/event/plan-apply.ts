// Compares an event file with the current state: which teams and members are created or changed, and what the event becomes. Pure.

import type { PhaseFields } from '@fairgate/contracts/management/event.ts'
import type { EventFile, EventFileTeam } from '@fairgate/contracts/management/event-file.ts'
import type { PlannedChange } from '@fairgate/contracts/management/planned-action.ts'
import type { TeamFields } from '@fairgate/contracts/management/team-bodies.ts'
import { roundUsd } from '../../ledger/money.ts'
import type { Announcement } from '../announcements.ts'
import { applyTeamFields, buildNewTeam, type KeyChange } from '../apply-fields.ts'
import { nameKeyOf } from '../directory-rows.ts'
import { planChange } from '../planned-action.ts'
import { parseMember, refuseValue } from '../refusals.ts'
import { type ResolveModel, resolveModelList, resolveOne } from '../resolve-models.ts'
import type { Member, Team } from '../types.ts'
import type { Event, Phase } from './event.ts'
import { applyEventFields } from './event-commands.ts'
import { listEventChanges, warnOfEffects } from './list-event-changes.ts'
import { buildPhase, checkPhases } from './phases.ts'
import { judge, type KeysPlan, type KeysState, listRates, listUse, planKeys } from './plan-keys.ts'
import { type NoticesPlan, planNotices } from './plan-notices.ts'

export type ApplyState = KeysState & {
  readonly event: Event
  readonly teams: readonly Team[]
  readonly announcements: readonly Announcement[]
}

export type NewMember = { readonly teamId: string; readonly name: string; readonly email: string | null }

export type ApplyPlan = Pick<NoticesPlan, 'newNotices' | 'changedNotices'> &
  Pick<KeysPlan, 'newKeys' | 'changedKeys'> & {
    readonly event: Event
    readonly newTeams: readonly Team[]
    readonly changedTeams: readonly { readonly before: Team; readonly after: Team }[]
    readonly newMembers: readonly NewMember[]
    readonly changedMembers: readonly { readonly before: Member; readonly email: string | null }[]
    readonly changes: readonly PlannedChange[]
    readonly warnings: readonly string[]
  }

/** Throws ApiError `invalid_request` that names the member of the file. */
export function planApply(
  file: EventFile,
  state: ApplyState,
  change: KeyChange,
  isPruned: boolean,
): ApplyPlan {
  const event = planEvent(file, state.event, change.resolveModel, isPruned)
  const named = file.teams ?? []
  refuseTwice(named)
  const rates = resolveRates(file.limits?.models, 'limits.models', change.resolveModel)
  const teams = named.map((team, index) => {
    const before = state.teams.find(({ teamId }) => teamId === team.id) ?? null
    const fields = buildTeamFields(team, file.limits?.team, `teams[${index}]`, change.resolveModel, isPruned)
    const own = resolveRates(team.model_limits, `teams[${index}].model_limits`, change.resolveModel)
    const withLimits = { ...fields, ...buildModelLimits(before, [rates, own], isPruned) }
    const build = () =>
      before === null
        ? buildNewTeam(team.id, withLimits, change)
        : applyTeamFields(before, withLimits, change)
    return { before, after: judge(`teams[${index}]`, withLimits, build) }
  })
  const others = state.teams.filter(({ teamId }) => !named.some(({ id }) => id === teamId))
  const common = buildTeamFields({ id: '' }, file.limits?.team, 'limits.team', change.resolveModel, false)
  const changedOthers = others.map(before => ({
    before,
    after: applyTeamFields(
      before,
      { ...common, ...buildModelLimits(before, [rates], false), ...(isPruned ? { blocked: true } : {}) },
      change,
    ),
  }))
  const newTeams = teams.flatMap(({ before, after }) => (before === null ? [after] : []))
  const changed = [...teams, ...changedOthers].flatMap(({ before, after }) => {
    const changes = before === null ? [] : listTeamChanges(before, after)
    return before === null || changes.length === 0 ? [] : [{ before, after, changes }]
  })
  const members = named.map((team, index) =>
    planMembers(team, state.membersOfTeam(team.id), `teams[${index}]`),
  )
  const newMembers = members.flatMap(({ added }) => added)
  const changedMembers = members.flatMap(({ changed: list }) => list)
  const keys = planKeys(named, state, change, isPruned)
  const notices = planNotices(
    file,
    {
      announcements: state.announcements,
      teamIds: new Set([...state.teams, ...newTeams].map(({ teamId }) => teamId)),
      timeZone: event.timeZone,
      now: change.now,
    },
    isPruned,
  )
  return {
    event,
    newTeams,
    changedTeams: changed.map(({ before, after }) => ({ before, after })),
    newMembers,
    changedMembers,
    newKeys: keys.newKeys,
    changedKeys: keys.changedKeys,
    newNotices: notices.newNotices,
    changedNotices: notices.changedNotices,
    changes: [
      ...listEventChanges(state.event, event, change.now),
      ...newTeams.flatMap(team => planChange('team', team.teamId, null, team.alias)),
      ...newTeams.flatMap(team =>
        listTeamChanges(buildNewTeam(team.teamId, { team_alias: team.alias }, change), team),
      ),
      ...changed.flatMap(({ changes }) => changes),
      ...newMembers.flatMap(({ teamId, name }) => planChange('member', `${teamId}/${name}`, null, name)),
      ...changedMembers.flatMap(({ before, email }) =>
        planChange('member.email', `${before.teamId}/${before.name}`, before.email, email),
      ),
      ...keys.changes,
      ...notices.changes,
    ],
    warnings: [
      ...warnOfEffects(state.event, event, change.now),
      ...warnOfBlocking(changed),
      ...warnOfBlockedKeys(keys),
    ],
  }
}

function warnOfBlocking(changed: readonly { readonly before: Team; readonly after: Team }[]): string[] {
  const blocked = changed.filter(({ before, after }) => before.blocked !== true && after.blocked === true)
  if (blocked.length === 0) return []
  return [
    `The keys of ${blocked.length} teams would stop working: ${blocked.map(({ after }) => after.teamId).join(', ')}.`,
  ]
}

function warnOfBlockedKeys({ changedKeys }: KeysPlan): string[] {
  const blocked = changedKeys.filter(({ before, after }) => before.blocked !== true && after.blocked === true)
  return blocked.length === 0
    ? []
    : [`${blocked.length} keys that the file does not list would stop working.`]
}

function planEvent(file: EventFile, event: Event, resolveModel: ResolveModel, isPruned: boolean): Event {
  const { name, time_zone: timeZone, budget } = file.event ?? {}
  const cap = readUsd('event.budget', budget, isPruned && file.event !== undefined)
  const settings = applyEventFields(
    event,
    {
      ...(name === undefined ? {} : { name }),
      ...(timeZone === undefined ? {} : { time_zone: timeZone }),
      ...(cap === undefined ? {} : { cap_nano: cap }),
      ...set('submission', file.submission === undefined && isPruned ? null : file.submission),
    },
    'event.time_zone',
  )
  const { phases: listed } = file
  if (listed === undefined) return isPruned ? { ...settings, phases: [] } : settings
  const named = listed.map((phase, index) => {
    const { budget: amount, ...fields } = phase
    const nano = readUsd(`phases[${index}].budget`, amount, true) ?? null
    const body: PhaseFields = { ...fields, budget_nano: nano }
    return buildPhase(body, `phases[${index}]`, settings.timeZone, resolveModel)
  })
  // Errors in the file itself are reported at its own positions, before phases that it does not name are merged in.
  checkPhases(named)
  const kept = isPruned
    ? []
    : event.phases.filter(({ name: old }) => !named.some(phase => phase.name === old))
  const phases: readonly Phase[] =
    kept.length === 0 ? named : [...kept, ...named].toSorted((one, other) => one.from - other.from)
  checkPhases(phases)
  return { ...settings, phases }
}

/** Undefined leaves the amount unchanged, null removes it. */
function readUsd(
  param: string,
  amount: number | null | undefined,
  isTakenAway: boolean,
): number | null | undefined {
  if (amount === undefined) return isTakenAway ? null : undefined
  return amount === null ? null : parseMember(param, () => roundUsd(amount))
}

function refuseTwice(teams: readonly EventFileTeam[]): void {
  const ids = new Set<string>()
  for (const [index, { id }] of teams.entries()) {
    if (ids.has(id)) throw refuseValue(`teams[${index}].id`, `the team "${id}" is in the file twice.`)
    ids.add(id)
  }
}

type TeamLimits = NonNullable<NonNullable<EventFile['limits']>['team']>

/** A team's own value overrides the value for all teams. */
function buildTeamFields(
  team: EventFileTeam,
  forAll: TeamLimits = {},
  place: string,
  resolveModel: ResolveModel,
  isPruned: boolean,
): TeamFields {
  const { name, budget = forAll.budget, budget_duration: duration = forAll.budget_duration } = team
  const { rpm = forAll.rpm, tpm = forAll.tpm, models } = team
  const otherwise = isPruned ? null : undefined
  const amount = budget === undefined ? otherwise : budget
  // Refused here, while the position in the file is known.
  if (typeof amount === 'number') parseMember(`${place}.budget`, () => roundUsd(amount))
  const list =
    models === undefined || models === null
      ? models
      : resolveModelList(models, resolveModel, [], `${place}.models`)
  return {
    ...set('team_alias', name === undefined ? otherwise : name),
    ...set('max_budget', amount),
    ...set('budget_duration', duration === undefined ? otherwise : duration),
    ...set('rpm_limit', rpm === undefined ? otherwise : rpm),
    ...set('tpm_limit', tpm === undefined ? otherwise : tpm),
    ...set('models', list === undefined ? otherwise : list),
  }
}

function set<Name extends string, Value>(name: Name, value: Value | undefined): Partial<Record<Name, Value>> {
  return value === undefined ? {} : ({ [name]: value } as Partial<Record<Name, Value>>)
}

type Rates = ReadonlyMap<string, { readonly rpm?: number | null; readonly tpm?: number | null }>

function resolveRates(
  given: EventFileTeam['model_limits'] = {},
  place: string,
  resolveModel: ResolveModel,
): Rates {
  return new Map(
    Object.entries(given).map(([name, rates]) => [resolveOne(name, `${place}.${name}`, resolveModel), rates]),
  )
}

/** Single entries are set on top of the team's own; with `isPruned` there are no others. */
function buildModelLimits(before: Team | null, layers: readonly Rates[], isPruned: boolean): TeamFields {
  const merge = (current: ReadonlyMap<string, number> | undefined, kind: 'rpm' | 'tpm') => {
    const limits = new Map(isPruned ? [] : current)
    for (const layer of layers) {
      for (const [id, { [kind]: figure }] of layer) {
        if (figure === null) limits.delete(id)
        else if (figure !== undefined) limits.set(id, figure)
      }
    }
    return Object.fromEntries(limits)
  }
  return {
    model_rpm_limit: merge(before?.modelRpmLimit, 'rpm'),
    model_tpm_limit: merge(before?.modelTpmLimit, 'tpm'),
  }
}

function listTeamChanges(before: Team, after: Team): PlannedChange[] {
  const subject = after.teamId
  return [
    ...planChange('team.name', subject, before.alias, after.alias),
    ...listRates('team', subject, before, after),
    ...listUse('team', subject, before, after),
    ...listModelChanges('rpm', subject, before.modelRpmLimit, after.modelRpmLimit),
    ...listModelChanges('tpm', subject, before.modelTpmLimit, after.modelTpmLimit),
  ]
}

function listModelChanges(
  kind: string,
  subject: string,
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): PlannedChange[] {
  const ids = new Set([...before.keys(), ...after.keys()])
  return [...ids].flatMap(id =>
    planChange(`team.model_limits.${id}.${kind}`, subject, before.get(id) ?? null, after.get(id) ?? null),
  )
}

/** Matched by name, because that is how a team refers to its members. */
function planMembers(
  { id: teamId, members = [] }: EventFileTeam,
  known: readonly Member[],
  place: string,
): { readonly added: readonly NewMember[]; readonly changed: ApplyPlan['changedMembers'] } {
  const added: NewMember[] = []
  const changed: { readonly before: Member; readonly email: string | null }[] = []
  const names = new Set<string>()
  const emails = new Set<string>()
  for (const [index, { name, email = null }] of members.entries()) {
    const member = `${place}.members[${index}]`
    if (names.has(nameKeyOf(name))) throw refuseValue(`${member}.name`, `the team has "${name}" twice.`)
    if (email !== null && emails.has(email))
      throw refuseValue(`${member}.email`, `the team has "${email}" twice.`)
    names.add(nameKeyOf(name))
    if (email !== null) emails.add(email)
    const before = known.find(other => nameKeyOf(other.name) === nameKeyOf(name))
    const holder = email === null ? undefined : known.find(other => other.email === email && other !== before)
    if (holder !== undefined)
      throw refuseValue(`${member}.email`, `"${holder.name}" of this team has this address.`)
    if (before === undefined) added.push({ teamId, name, email })
    else if (email !== null && before.email !== email) changed.push({ before, email })
  }
  return { added, changed }
}
