// Lists the settings that a change of a team or a key alters: one line for each, money in nano-dollars, lists and objects as text.
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { KeyFields } from '@fairgate/contracts/management/key-bodies.ts'
import type { PlannedChange } from '@fairgate/contracts/management/planned-action.ts'
import { planChange } from './planned-action.ts'
import { isHidden, type Key, type Owner, type Team } from './types.ts'

export function listTeamChanges(before: Team, after: Team): PlannedChange[] {
  return [
    ...listOwnerChanges(before.teamId, before, after),
    ...planChange('hidden', before.teamId, isHidden(before), isHidden(after)),
  ]
}

export function listKeyChanges(before: Key, after: Key, { duration }: KeyFields): PlannedChange[] {
  const plan = (what: string, from: PlannedChange['from'], to: PlannedChange['to']) =>
    planChange(what, before.keyHash, from, to)
  return [
    ...listOwnerChanges(before.keyHash, before, after),
    ...plan('max_parallel_requests', before.maxParallelRequests, after.maxParallelRequests),
    ...planMap('model_max_budget_nano', before.keyHash, before.modelMaxBudget, after.modelMaxBudget),
    ...plan('key_alias', before.alias, after.alias),
    ...plan('user_id', before.userId, after.userId),
    ...plan('member_id', before.memberId ?? null, after.memberId ?? null),
    // A moment would differ by the time the change is made.
    ...(duration === undefined
      ? []
      : plan('expires', isoTime(before.expiresAt), duration === null ? null : `${duration} from now`)),
    ...plan(
      'aliases',
      describe(Object.fromEntries(before.aliases)),
      describe(Object.fromEntries(after.aliases)),
    ),
    ...plan('allowed_routes', before.allowedRoutes.join(', '), after.allowedRoutes.join(', ')),
  ]
}

function listOwnerChanges(subject: string, before: Owner, after: Owner): PlannedChange[] {
  const plan = (what: string, from: PlannedChange['from'], to: PlannedChange['to']) =>
    planChange(what, subject, from, to)
  return [
    ...plan('max_budget_nano', before.maxBudget, after.maxBudget),
    ...plan('budget_duration', before.budgetDuration, after.budgetDuration),
    ...plan('rpm_limit', before.rpmLimit, after.rpmLimit),
    ...plan('tpm_limit', before.tpmLimit, after.tpmLimit),
    ...planMap('model_rpm_limit', subject, before.modelRpmLimit, after.modelRpmLimit),
    ...planMap('model_tpm_limit', subject, before.modelTpmLimit, after.modelTpmLimit),
    ...plan('models', before.models.join(', '), after.models.join(', ')),
    ...plan('blocked', before.blocked === true, after.blocked === true),
    ...plan('metadata', describeMetadata(before), describeMetadata(after)),
    ...plan('informational', describe(before.informational), describe(after.informational)),
  ]
}

function planMap(
  what: string,
  subject: string,
  from: ReadonlyMap<string, number>,
  to: ReadonlyMap<string, number>,
): PlannedChange[] {
  return [...new Set([...from.keys(), ...to.keys()])].flatMap(model =>
    planChange(`${what}.${model}`, subject, from.get(model) ?? null, to.get(model) ?? null),
  )
}

/** Without the limits per model, which have their own lines. */
function describeMetadata({ metadata }: Owner): string {
  const { model_rpm_limit: _rpm, model_tpm_limit: _tpm, ...custom } = metadata
  return describe(custom)
}

function describe(value: object = {}): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))),
  )
}
