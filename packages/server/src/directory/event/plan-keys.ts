// Compares the keys that an event file gives to members with the existing ones: which are created, changed or blocked. Pure.
import type {
  EventFileKey,
  EventFileMember,
  EventFileTeam,
} from '@fairgate/contracts/management/event-file.ts'
import type { KeyFields } from '@fairgate/contracts/management/key-bodies.ts'
import type { PlannedChange } from '@fairgate/contracts/management/planned-action.ts'
import { roundUsd } from '../../ledger/money.ts'
import { applyKeyFields, buildNewKey, type KeyChange } from '../apply-fields.ts'
import { nameKeyOf } from '../directory-rows.ts'
import { planChange } from '../planned-action.ts'
import { parseMember, refuseValue } from '../refusals.ts'
import { resolveModelList, wholeTeam } from '../resolve-models.ts'
import type { Key, Member, Owner } from '../types.ts'

/** Its member may be created by the same change, so only the name is known. */
export type NewKey = { readonly teamId: string; readonly member: string; readonly fields: KeyFields }

export type KeysPlan = {
  readonly newKeys: readonly NewKey[]
  readonly changedKeys: readonly { readonly before: Key; readonly after: Key }[]
  readonly changes: readonly PlannedChange[]
}

export type KeysState = {
  readonly membersOfTeam: (teamId: string) => readonly Member[]
  readonly keysOfTeam: (teamId: string) => readonly Key[]
}

/** Throws ApiError `invalid_request` that names the file's member. `isPruned`: other keys of members with listed keys are blocked. */
export function planKeys(
  teams: readonly EventFileTeam[],
  state: KeysState,
  change: KeyChange,
  isPruned: boolean,
): KeysPlan {
  const plans = teams.flatMap((team, index) => {
    const members = team.members ?? []
    if (members.every(({ keys }) => keys === undefined)) return []
    const known = state.membersOfTeam(team.id)
    const keys = Map.groupBy(state.keysOfTeam(team.id), ({ memberId }) => memberId ?? '')
    return members.map((member, place) => {
      const before = known.find(({ name }) => nameKeyOf(name) === nameKeyOf(member.name))
      const own = before === undefined ? [] : (keys.get(before.memberId) ?? [])
      return planMember(team.id, member, own, `teams[${index}].members[${place}]`, change, isPruned)
    })
  })
  return {
    newKeys: plans.flatMap(({ newKeys }) => newKeys),
    changedKeys: plans.flatMap(({ changedKeys }) => changedKeys),
    changes: plans.flatMap(({ changes }) => changes),
  }
}

function planMember(
  teamId: string,
  { name: member, keys: listed = [], keys }: EventFileMember,
  own: readonly Key[],
  place: string,
  change: KeyChange,
  isPruned: boolean,
): KeysPlan {
  const newKeys: NewKey[] = []
  const changed: { readonly before: Key; readonly after: Key; readonly subject: string }[] = []
  const changes: PlannedChange[] = []
  const aliases = new Set<string>()
  for (const [index, key] of listed.entries()) {
    const at = `${place}.keys[${index}]`
    if (aliases.has(key.alias))
      throw refuseValue(`${at}.alias`, `"${member}" has the key "${key.alias}" twice.`)
    aliases.add(key.alias)
    const subject = `${teamId}/${member}/${key.alias}`
    const same = own.filter(({ alias }) => alias === key.alias)
    const [before] = same
    if (same.length > 1)
      throw refuseValue(
        `${at}.alias`,
        `"${member}" has ${same.length} keys with this alias. Rename one of them first.`,
      )
    const fields = buildFields(key, at, change, isPruned)
    const build = (current: Key) => judge(at, fields, () => applyKeyFields(current, fields, change))
    if (before === undefined) {
      const blank = buildNewKey({ keyHash: '', keyName: '', teamId }, {}, change)
      newKeys.push({ teamId, member, fields: { ...fields, key_alias: key.alias } })
      changes.push(
        ...planChange('key', subject, null, key.alias),
        ...listKeyChanges(subject, blank, build(blank)),
      )
    } else changed.push({ before, after: build(before), subject })
  }
  if (isPruned && keys !== undefined) {
    for (const before of own.filter(({ alias }) => !aliases.has(alias)))
      changed.push({
        before,
        after: applyKeyFields(before, { blocked: true }, change),
        subject: `${teamId}/${member}/${before.alias === '' ? before.keyName : before.alias}`,
      })
  }
  const real = changed.flatMap(({ before, after, subject }) => {
    const found = listKeyChanges(subject, before, after)
    changes.push(...found)
    return found.length === 0 ? [] : [{ before, after }]
  })
  return { newKeys, changedKeys: real, changes }
}

function buildFields(
  key: EventFileKey,
  place: string,
  { resolveModel }: KeyChange,
  isPruned: boolean,
): KeyFields {
  const { budget, budget_duration, rpm, tpm, parallel, models } = key
  // Refused here, while the position in the file is known.
  if (typeof budget === 'number') parseMember(`${place}.budget`, () => roundUsd(budget))
  const list =
    models === undefined || models === null
      ? models
      : resolveModelList(models, resolveModel, [wholeTeam], `${place}.models`)
  const fields = {
    max_budget: budget,
    budget_duration,
    rpm_limit: rpm,
    tpm_limit: tpm,
    max_parallel_requests: parallel,
    models: list,
  }
  const named = Object.entries(fields).flatMap(([name, value]) =>
    value !== undefined || isPruned ? [[name, value ?? null] as const] : [],
  )
  return Object.fromEntries(named)
}

/** A budget's duration is the only value that was not checked before. */
export function judge<Built>(
  place: string,
  { budget_duration: duration }: Pick<KeyFields, 'budget_duration'>,
  build: () => Built,
): Built {
  try {
    return build()
  } catch (error) {
    if (typeof duration === 'string' && error instanceof Error)
      throw refuseValue(`${place}.budget_duration`, error.message)
    throw error
  }
}

function listKeyChanges(subject: string, before: Key, after: Key): PlannedChange[] {
  const { maxParallelRequests: parallel } = after
  return [
    ...listRates('key', subject, before, after),
    ...planChange('key.parallel', subject, before.maxParallelRequests, parallel),
    ...listUse('key', subject, before, after),
  ]
}

/** Fields that both teams and keys may have, as the file names them. */
export function listRates(
  kind: 'key' | 'team',
  subject: string,
  before: Owner,
  after: Owner,
): PlannedChange[] {
  return [
    ...planChange(`${kind}.budget_nano`, subject, before.maxBudget, after.maxBudget),
    ...planChange(`${kind}.budget_duration`, subject, before.budgetDuration, after.budgetDuration),
    ...planChange(`${kind}.rpm`, subject, before.rpmLimit, after.rpmLimit),
    ...planChange(`${kind}.tpm`, subject, before.tpmLimit, after.tpmLimit),
  ]
}

export function listUse(kind: 'key' | 'team', subject: string, before: Owner, after: Owner): PlannedChange[] {
  const list = ({ models }: Owner) => (models.length === 0 ? null : models.join(','))
  return [
    ...planChange(`${kind}.models`, subject, list(before), list(after)),
    ...planChange(`${kind}.blocked`, subject, before.blocked === true, after.blocked === true),
  ]
}
