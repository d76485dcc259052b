// `fairgate coverage`: how much of what each team's agents spent the logbook covers.
import { type CoverageList, coverageListSchema } from '@fairgate/contracts/calls/coverage.ts'
import type { Command } from 'commander'
import { addCommand } from '../add-request.ts'
import { type CommandContext, readPages } from '../command-context.ts'
import { absent, formatTable, formatUsd } from '../output/format.ts'

export function addCoverageCommand(program: Command, context: CommandContext): void {
  addCommand(
    program,
    {
      verb: 'coverage',
      description: "how much of what the teams' agents spent the logbook covers",
      isOfTeams: true,
    },
    async query => {
      const { items: teams } = await readPages(
        async (after: string | undefined) => {
          const { teams: items, next } = await context.ask(
            { get: '/coverage', query: { ...query, after } },
            coverageListSchema,
          )
          return { items, next }
        },
        page => page.next,
      )
      context.print({ teams, next: null }, describeCoverage)
    },
  )
}

function describeCoverage({ teams }: CoverageList): string {
  if (teams.length === 0) return 'No coverage: there are no teams yet.'
  const table = formatTable(
    ['TEAM', 'COVERED', 'AT MOST', 'JUDGED CALLS', 'JUDGED USD', 'UNEXPLAINED USD', 'PENDING USD', 'APP USD'],
    teams.map(({ team_id, coverage, coverage_with_probable, judged, classes }) => [
      team_id,
      formatPortion(coverage),
      formatPortion(coverage_with_probable),
      String(judged.calls),
      ...[judged, classes.unexplained, classes.pending, classes.app].map(({ cost }) => formatUsd(cost)),
    ]),
  )
  const missing = teams.flatMap(({ team_id, sessions_without_entries: sessions }) =>
    sessions.map(({ tool, session_id, class: name, calls, cost, last_at }) => [
      team_id,
      tool,
      session_id,
      name,
      String(calls),
      formatUsd(cost),
      last_at,
    ]),
  )
  const list =
    missing.length === 0
      ? ''
      : `\n\nSessions without entries:\n${formatTable(['TEAM', 'TOOL', 'SESSION', 'CLASS', 'CALLS', 'USD', 'LAST CALL'], missing)}`
  return `${table}${list}\n\nWhat is not covered is a question to the team, and no proof of anything (docs/coverage.md).`
}

/** Rounded down, so that 100 % means all of it. */
function formatPortion(portion: number | null): string {
  return portion === null ? absent : `${(Math.floor(portion * 1000) / 10).toFixed(1)} %`
}
