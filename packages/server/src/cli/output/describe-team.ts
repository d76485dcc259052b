// A team, and the list of teams, as lines for people.
import type { TeamInfo, TeamRecord } from '@fairgate/contracts/info/team-record.ts'
import type { ListedTeam } from '@fairgate/contracts/management/team-bodies.ts'
import { formatFields, formatTable } from './format-table.ts'
import { absent, formatLimit, formatList, formatPeriod, formatSpend, formatUsd } from './format-values.ts'

export function describeTeams(teams: readonly ListedTeam[]): string {
  if (teams.length === 0) return 'No teams yet. Make one with "fairgate team new".'
  const titles = ['TEAM', 'ALIAS', 'SPENT', 'BUDGET', 'PERIOD', 'RPM', 'TPM', 'KEYS', 'STATE']
  return formatTable(
    titles,
    teams.map(team => [
      team.team_id,
      team.team_alias,
      formatUsd(team.spend),
      team.max_budget === null ? absent : formatUsd(team.max_budget),
      team.budget_duration ?? absent,
      team.rpm_limit === null ? absent : String(team.rpm_limit),
      team.tpm_limit === null ? absent : String(team.tpm_limit),
      String(team.keys.length),
      describeState(team.blocked),
    ]),
  )
}

export function describeTeam(team: TeamRecord): string {
  return formatFields([
    ['team', team.team_id],
    ['alias', team.team_alias],
    ['state', describeState(team.blocked)],
    ['spent', formatSpend(team.spend, team.max_budget)],
    ['held', `${formatUsd(team.held)} USD for running calls`],
    ['period', formatPeriod(team.budget_duration, team.budget_reset_at)],
    ['rpm', formatLimit(team.rpm_limit)],
    ['tpm', formatLimit(team.tpm_limit)],
    ...Object.entries(team.metadata.model_rpm_limit).map(
      ([model, limit]) => [`rpm of ${model}`, String(limit)] as const,
    ),
    ...Object.entries(team.metadata.model_tpm_limit).map(
      ([model, limit]) => [`tpm of ${model}`, String(limit)] as const,
    ),
    ['models', formatList(team.models, 'the whole catalog')],
    ['created', `${team.created_at} by ${team.created_by}`],
    ['updated', `${team.updated_at} by ${team.updated_by}`],
  ])
}

export function describeTeamInfo({ team_info: team, keys }: TeamInfo): string {
  if (keys.length === 0) return `${describeTeam(team)}\n\nNo keys.`
  const table = formatTable(
    ['KEY', 'ALIAS', 'SPENT', 'EXPIRES', 'STATE'],
    keys.map(key => [
      key.key_name,
      key.key_alias,
      formatUsd(key.spend),
      key.expires ?? 'never',
      describeState(key.blocked),
    ]),
  )
  return `${describeTeam(team)}\n\n${table}`
}

export function describeState(blocked: boolean | null): string {
  return blocked === true ? 'blocked' : 'works'
}
