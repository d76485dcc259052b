// Checks what the schema of a set-up cannot: names that refer to each other, teams that exist, and times.
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import { refuseValue } from '../directory/refusals.ts'
import { readWindow } from './scoring-window.ts'

/** Throws ApiError `invalid_request` that names the member. */
export function checkSetup(setup: JudgingSetup, hasTeam: (teamId: string) => boolean): void {
  const {
    criteria,
    gates = [],
    ties,
    tracks = [],
    team_tags: tags = {},
    calibration_team: calibration,
  } = setup
  const { opensAt, closesAt } = readWindow(setup)
  if (opensAt !== null && closesAt !== null && opensAt >= closesAt)
    throw refuseValue('setup.closes_at', 'it must be after opens_at.')
  requireUnique('setup.criteria', [...criteria, ...gates])
  requireUnique('setup.tracks', tracks)
  for (const { id, max, anchors = [] } of criteria) {
    const beyond = anchors.find(({ score }) => score > max)
    if (beyond !== undefined)
      throw refuseValue('setup.criteria', `"${id}" goes to ${max}, but an anchor is for ${beyond.score}.`)
  }
  for (const [at, step] of ties.entries()) {
    if (step.by === 'criterion' && !criteria.some(({ id }) => id === step.criterion))
      throw refuseValue('setup.ties', `there is no criterion "${step.criterion}".`)
    if ((step.by === 'head_judge') !== (at === ties.length - 1))
      throw refuseValue('setup.ties', 'the last step is {"by": "head_judge"}, and no other one is.')
  }
  const teams = [
    ...tracks.flatMap(track => track.teams.map(teamId => ({ param: 'setup.tracks', teamId }))),
    ...Object.keys(tags).map(teamId => ({ param: 'setup.team_tags', teamId })),
    ...(typeof calibration !== 'string' ? [] : [{ param: 'setup.calibration_team', teamId: calibration }]),
  ]
  const unknown = teams.find(({ teamId }) => !hasTeam(teamId))
  if (unknown !== undefined) throw refuseValue(unknown.param, `there is no team "${unknown.teamId}".`)
}

function requireUnique(param: string, items: readonly { readonly id: string }[]): void {
  const seen = new Set<string>()
  for (const { id } of items) {
    if (seen.has(id)) throw refuseValue(param, `the id "${id}" is there twice.`)
    seen.add(id)
  }
}
