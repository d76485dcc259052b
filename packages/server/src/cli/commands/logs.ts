// `fairgate logs …`: the entries of the teams, the checks of their hash chains, and the record of management changes.
import { boardListSchema } from '@fairgate/contracts/management/boards.ts'
import {
  type LogVerification,
  logVerificationSchema,
} from '@fairgate/contracts/management/log-verification.ts'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { CommandFailure } from '../command-failure.ts'
import { parseInteger } from '../options/parse-number.ts'
import { addTeamFilter, chooseTeam, type TeamOption } from '../options/team-filter.ts'
import { describeAudit } from '../output/describe-audit.ts'
import { describeBrokenChains, describeVerifications } from '../output/describe-verification.ts'
import { addEntriesCommands } from './logs-entries.ts'
import { addExportCommand, type ExportSurroundings } from './logs-export.ts'
import { readAudit } from './read-audit.ts'

type AuditOptions = TeamOption & { readonly limit: number }

const help = `
Examples:
  $ fairgate logs list team-01 --tool codex
  $ fairgate logs show team-01 17
  $ fairgate logs export --output entries.ndjson
  $ fairgate logs export team-01 --follow
  $ fairgate logs verify team-01
  $ fairgate logs audit team-01 --limit 20`

const verifyHelp = `
Exit code 1 when a chain is broken; its first bad number is printed. With --json: the reply for one
team, a list of replies for all.`

export function addLogsCommands(
  program: Command,
  context: CommandContext,
  surroundings: ExportSurroundings,
): void {
  const group = program
    .command('logs')
    .description('entries of the teams, their export and their check; and the audit')
  group.addHelpText('after', help)
  addEntriesCommands(group, context)
  addExportCommand(group, context, surroundings)
  addVerifyCommand(group, context)
  addAuditCommand(group, context)
}

function addVerifyCommand(group: Command, { ask, print }: CommandContext): void {
  const verify = (team: string): Promise<LogVerification> =>
    ask({ get: '/logs/verify', query: { team_id: team }, patient: true }, logVerificationSchema)

  addTeamFilter(group.command('verify'))
    .description("recompute the hash chain of a team's log from what is stored")
    .addHelpText('after', verifyHelp)
    .action(async (argument: string | undefined, options: TeamOption) => {
      const team = chooseTeam(argument, options)
      const checks: LogVerification[] = []
      if (team === undefined) {
        const { boards } = await ask({ get: '/logs/boards' }, boardListSchema)
        // One after the other: a check reads the whole log of a team.
        for (const board of boards) checks.push(await verify(board.team_id))
        print(checks, describeVerifications)
      } else {
        const check = await verify(team)
        checks.push(check)
        print(check, only => describeVerifications([only]))
      }
      const broken = describeBrokenChains(checks)
      if (broken !== null) throw new CommandFailure(1, broken)
    })
}

function addAuditCommand(group: Command, { ask, print }: CommandContext): void {
  addTeamFilter(group.command('audit'))
    .description('management changes, newest first: who, when, what')
    .option('--limit <n>', 'at most this many', parseInteger(1), 50)
    .action(async (argument: string | undefined, options: AuditOptions) => {
      print(await readAudit(ask, chooseTeam(argument, options), options.limit), describeAudit)
    })
}
