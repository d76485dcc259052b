// Queue reports between processes that share the windows, so that all of them together are fair to a team.
import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'

const lineReport = Type.Object({
  /**
   * Requests and tokens given while the model was short, since the process began. Each process computes how much of its own pace they take.
   */
  spent: Type.Tuple([Type.Integer({ minimum: 0 }), Type.Integer({ minimum: 0 })]),
  /**
   * By team: calls and tokens given within the last minute, whether it asked within it, and calls that the upstream has refused since the
   * process knows the team.
   */
  teams: Type.Record(
    Type.String(),
    Type.Tuple([
      Type.Integer({ minimum: 0 }),
      Type.Integer({ minimum: 0 }),
      Type.Boolean(),
      Type.Integer({ minimum: 0 }),
    ]),
  ),
})

/** By model. */
const linesReport = Type.Record(Type.String(), lineReport)

export type LineReport = Static<typeof lineReport>
export type LinesReport = Static<typeof linesReport>

/** A team's sum over all other processes. */
export type TeamElsewhere = { readonly given: number; readonly tokens: number; readonly hasAsked: boolean }

/** By team. */
export type TeamsElsewhere = ReadonlyMap<string, TeamElsewhere>

/** Null for a report that another version may have written. */
export function parseReport(document: unknown): LinesReport | null {
  return Value.Check(linesReport, document) ? document : null
}

export function sumTeams(reports: readonly LineReport[]): TeamsElsewhere {
  const sums = new Map<string, TeamElsewhere>()
  for (const report of reports) {
    for (const [teamId, [given, tokens, hasAsked]] of Object.entries(report.teams)) {
      const known = sums.get(teamId)
      sums.set(teamId, {
        given: given + (known?.given ?? 0),
        tokens: tokens + (known?.tokens ?? 0),
        hasAsked: hasAsked || known?.hasAsked === true,
      })
    }
  }
  return sums
}
