// Says in words what the time of a panel is enough for.
import type { CoveragePlan } from './plan-coverage.ts'

/** With fewer, a single judge decides too much. */
const fewJudgements = 3

export function describePlan(plan: CoveragePlan & { readonly judgesPerTeam: number }): string[] {
  const { teams, judges, judgesPerTeam, judgementsPerTeam: got, isEnough, isFull } = plan
  if (teams === 0) return ['There are no teams to judge yet.']
  if (judges === 0)
    return [
      `There are no judges yet. ${teams} teams with ${judgesPerTeam} each are ${teams * judgesPerTeam} judgements.`,
    ]
  const first = isFull
    ? `Every judge can judge all ${teams} teams.`
    : isEnough
      ? `The time is enough: each team can get ${countJudgements(got)}, and ${judgesPerTeam} were asked for.`
      : `The time is not enough: each team gets ${countJudgements(got)}, and ${judgesPerTeam} were asked for.`
  return [first, ...(isEnough ? [] : [adviseMore(plan)]), ...(got < fewJudgements ? [warnOfFew(got)] : [])]
}

function adviseMore({
  minutesNeeded,
  judgesNeeded,
  judges,
  judgesPerTeam,
}: CoveragePlan & { readonly judgesPerTeam: number }): string {
  const minutes = minutesNeeded === null ? null : `${minutesNeeded} minutes for each judge`
  const people = judgesNeeded === null ? null : `${judgesNeeded} judges instead of ${judges}`
  const ways = [people, minutes].filter(way => way !== null)
  return ways.length === 0
    ? `No team can get ${judgesPerTeam} different judges from ${judges}.`
    : `Enough would be ${ways.join(', or ')}.`
}

function warnOfFew(got: number): string {
  return got < 2
    ? 'With fewer than two judgements a team, scores cannot be compared.'
    : 'With fewer than three judgements a team, a single judge decides too much.'
}

const countJudgements = (count: number) => (count === 1 ? 'one judgement' : `${count} judgements`)
