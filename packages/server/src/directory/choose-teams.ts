// Which teams an act on many reaches, and what it would change of each.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { ChosenTeams } from '@fairgate/contracts/management/bulk.ts'
import type { PlannedChange } from '@fairgate/contracts/management/planned-act.ts'
import { planChange } from '../acts/planned-act.ts'
import type { DirectoryLookups } from './directory-memory.ts'
import { requireTeam } from './refusals.ts'
import type { Team } from './types.ts'

/** Each once, in the order of creation. Throws ApiError `team_not_found`, and `invalid_request` where none is left. */
export function chooseTeams(
  lookups: Pick<DirectoryLookups, 'findTeam' | 'teams'>,
  { teams, where }: ChosenTeams,
): readonly Team[] {
  const named = teams === 'all' ? null : new Set(teams.map(teamId => requireTeam(lookups, teamId)))
  const tag = where?.tag
  const chosen = lookups
    .teams()
    .filter(team => (named === null || named.has(team)) && (tag === undefined || tagsOf(team).includes(tag)))
  if (chosen.length > 0) return chosen
  if (tag === undefined) throw invalidRequest('teams', 'There are no teams yet.')
  throw invalidRequest('where.tag', `None of these teams has the tag "${tag}".`)
}

function tagsOf({ metadata: { tags } }: Team): readonly unknown[] {
  return Array.isArray(tags) ? tags : []
}

/** Money in nano-dollars. Lists and objects as text, so that each change has one line. */
export function listTeamChanges(before: Team, after: Team): PlannedChange[] {
  const plan = (what: string, from: PlannedChange['from'], to: PlannedChange['to']) =>
    planChange(what, before.teamId, from, to)
  const planMap = (what: string, from: ReadonlyMap<string, number>, to: ReadonlyMap<string, number>) =>
    [...new Set([...from.keys(), ...to.keys()])].flatMap(model =>
      plan(`${what}.${model}`, from.get(model) ?? null, to.get(model) ?? null),
    )
  return [
    ...plan('max_budget_nano', before.maxBudget, after.maxBudget),
    ...plan('budget_duration', before.budgetDuration, after.budgetDuration),
    ...plan('rpm_limit', before.rpmLimit, after.rpmLimit),
    ...plan('tpm_limit', before.tpmLimit, after.tpmLimit),
    ...planMap('model_rpm_limit', before.modelRpmLimit, after.modelRpmLimit),
    ...planMap('model_tpm_limit', before.modelTpmLimit, after.modelTpmLimit),
    ...plan('models', before.models.join(', '), after.models.join(', ')),
    ...plan('blocked', before.blocked === true, after.blocked === true),
    ...plan('metadata', describeMetadata(before), describeMetadata(after)),
    ...plan('informational', describe(before.informational), describe(after.informational)),
  ]
}

/** Without the limits per model, which have lines of their own. */
function describeMetadata({ metadata }: Team): string {
  const { model_rpm_limit: _rpm, model_tpm_limit: _tpm, ...custom } = metadata
  return describe(custom)
}

function describe(value: object = {}): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))),
  )
}
