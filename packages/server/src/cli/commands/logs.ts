// `fairgate logs …`: the entries of the teams, the checks of their hash chains, and the record of management changes.
import { judgingVerificationSchema } from '@fairgate/contracts/judging/scores.ts'
import { maximumPageSize } from '@fairgate/contracts/logbook/limits.ts'
import { auditPageSchema, maximumAuditPage } from '@fairgate/contracts/management/audit.ts'
import { boardListSchema } from '@fairgate/contracts/management/boards.ts'
import { logEntriesPageSchema, loggedEntrySchema } from '@fairgate/contracts/management/log-entries.ts'
import {
  type LogVerification,
  logVerificationSchema,
} from '@fairgate/contracts/management/log-verification.ts'
import type { Command } from 'commander'
import { addCommand, addRequest } from '../add-request.ts'
import { type CommandContext, readPages } from '../command-context.ts'
import { CommandFailure } from '../command-failure.ts'
import { entryOptions, parseInteger, parseTime } from '../options.ts'
import {
  describeAudit,
  describeBrokenChains,
  describeBrokenJudging,
  describeEntries,
  describeEntry,
  describeJudging,
  describeVerifications,
} from '../output/describe-logs.ts'
import { addExportCommand } from './logs-export.ts'

const groupHelp = `
Examples:
  $ fairgate logs list team-01 --tool codex
  $ fairgate logs show team-01 17
  $ fairgate logs export --output entries.ndjson
  $ fairgate logs export team-01 --follow
  $ fairgate logs verify team-01
  $ fairgate logs audit team-01 --limit 20`

const listHelp = `
Examples:
  $ fairgate logs list
  $ fairgate logs list team-01 --tool codex --limit 200
  $ fairgate logs list --event UserPromptSubmit --before -2h
  $ fairgate logs list team-01 --json`

const showHelp = `
The entry is printed as stored, with every member that was sent.

Examples:
  $ fairgate logs show team-01 17
  $ fairgate logs show team-01 17 --json`

const verifyHelp = `
Exit code 1 if a chain is broken; its first bad number is printed. Without a team, the record of
judging is verified too. With --json: the reply for one team, a list of replies for all teams.`

export function addLogsCommands(program: Command, context: CommandContext): void {
  const { ask, print } = context
  const group = program.command('logs').description('read, export and verify log entries; read the audit')
  group.addHelpText('after', groupHelp)
  addCommand(
    group,
    {
      verb: 'list',
      description: 'list the entries of all teams or one, newest first',
      isOfTeams: true,
      options: [
        ...entryOptions,
        [
          '--before <place>',
          'only entries before a time, such as -2h; or continue where the last list ended',
          parseTime,
        ],
        ['--limit <n>', 'at most this many', parseInteger(1, 100_000), 50],
      ],
      help: listHelp,
    },
    async ({ limit, before: start, ...filter }) => {
      const entries = await readPages(
        (before, most) => {
          const query = { ...filter, limit: Math.min(most, maximumPageSize), before: before ?? start }
          return ask({ get: '/logs/entries', query }, logEntriesPageSchema)
        },
        page => page.next_before,
        Number(limit),
      )
      print(entries, describeEntries, 'items')
    },
  )
  addRequest(group, context, {
    verb: 'show',
    description: 'show one entry in full',
    arguments: [
      ['<team>', 'id of the team'],
      ['<entry>', 'seq of the entry, as the list shows it, or its id'],
    ],
    help: showHelp,
    request: (_, team_id, entry) => ({ get: '/logs/entry', query: { team_id, entry } }),
    reply: loggedEntrySchema,
    describe: describeEntry,
  })
  addExportCommand(group, context)
  const verify = (team_id: unknown): Promise<LogVerification> =>
    ask({ get: '/logs/verify', query: { team_id }, patient: true }, logVerificationSchema)
  addCommand(
    group,
    {
      verb: 'verify',
      description: 'verify the hash chains of all teams or one from what is stored',
      isOfTeams: true,
      help: verifyHelp,
    },
    async ({ team_id }) => {
      const checks: LogVerification[] = []
      const broken: string[] = []
      if (team_id === undefined) {
        const { boards } = await ask({ get: '/logs/boards' }, boardListSchema)
        // One after the other: a check reads the full log of a team.
        for (const board of boards) checks.push(await verify(board.team_id))
        const judging = await ask({ get: '/judging/verify', patient: true }, judgingVerificationSchema)
        print(
          checks,
          items => [describeVerifications(items), ...describeJudging(judging)].join('\n\n'),
          'items',
        )
        if (judging.problem !== null) broken.push(describeBrokenJudging(judging.problem))
      } else {
        const check = await verify(team_id)
        checks.push(check)
        print(check, only => describeVerifications([only]))
      }
      const chains = describeBrokenChains(checks)
      if (chains !== null) broken.unshift(chains)
      if (broken.length > 0) throw new CommandFailure(1, broken.join('\n'))
    },
  )
  addCommand(
    group,
    {
      verb: 'audit',
      description: 'list management changes, newest first: who, when, what and why',
      isOfTeams: true,
      options: [
        ['--limit <n>', 'at most this many', parseInteger(1), 50],
        ['--before <id>', 'continue where the last list ended', parseInteger(1)],
      ],
    },
    async ({ limit, before: start, ...filter }) => {
      const changes = await readPages(
        (before, most) => {
          const before_id = before ?? start
          const query = { limit: Math.min(most, maximumAuditPage), before_id, ...filter }
          return ask({ get: '/audit', query }, auditPageSchema)
        },
        page => page.next_before_id,
        Number(limit),
      )
      print(changes, describeAudit, 'items')
    },
  )
}
