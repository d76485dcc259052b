// `fairgate logs …`: the entries of the teams, the checks of their hash chains, and the record of management changes.
import { maximumPageSize } from '@fairgate/contracts/logbook/limits.ts'
import {
  type AuditPage,
  type AuditRow,
  auditPageSchema,
  maximumAuditPage,
} from '@fairgate/contracts/management/audit.ts'
import { boardListSchema } from '@fairgate/contracts/management/boards.ts'
import {
  type LogEntriesPage,
  type LoggedEntry,
  logEntriesPageSchema,
  loggedEntrySchema,
} from '@fairgate/contracts/management/log-entries.ts'
import {
  type LogVerification,
  logVerificationSchema,
} from '@fairgate/contracts/management/log-verification.ts'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { CommandFailure } from '../command-failure.ts'
import {
  addEntryFilter,
  addTeamFilter,
  chooseTeam,
  type EntryFilterOptions,
  parseInteger,
  type TeamOption,
} from '../options.ts'
import {
  describeAudit,
  describeBrokenChains,
  describeEntries,
  describeEntry,
  describeVerifications,
} from '../output/describe-logs.ts'
import { addExportCommand, type ExportSurroundings } from './logs-export.ts'

type ListOptions = EntryFilterOptions & { readonly before?: string; readonly limit: number }
type AuditOptions = TeamOption & { readonly limit: number }

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
  $ fairgate logs list --event UserPromptSubmit --before 2026-11-21T18:00:00+09:00
  $ fairgate logs list team-01 --json`

const showHelp = `
The entry is printed as it is stored, with every member that was sent.

Examples:
  $ fairgate logs show team-01 17
  $ fairgate logs show team-01 17 --json`

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
  group.addHelpText('after', groupHelp)
  addEntriesCommands(group, context)
  addExportCommand(group, context, surroundings)
  addVerifyCommand(group, context)
  addTeamFilter(group.command('audit'))
    .description('management changes, newest first: who, when, what')
    .option('--limit <n>', 'at most this many', parseInteger(1), 50)
    .action(async (argument: string | undefined, options: AuditOptions) => {
      const changes = await readAudit(context.ask, chooseTeam(argument, options), options.limit)
      context.print(changes, describeAudit)
    })
}

function addEntriesCommands(group: Command, { ask, print, show }: CommandContext): void {
  addEntryFilter(group.command('list'))
    .description('entries of all teams or one, newest first')
    .option('--before <place>', 'ISO 8601: only what is earlier; or where the last list ended')
    .option('--limit <n>', 'at most this many', parseInteger(1, 100_000), 50)
    .addHelpText('after', listHelp)
    .action(async (argument: string | undefined, options: ListOptions) => {
      const { before, event, tool, limit } = options
      const query = { team_id: chooseTeam(argument, options), before, event, tool }
      print(await readEntries(ask, query, limit), describeEntries)
    })
  group
    .command('show')
    .description('one entry in full')
    .argument('<team>', 'id of the team')
    .argument('<entry>', 'its seq, as the list shows it, or its id')
    .addHelpText('after', showHelp)
    .action(async (team: string, entry: string) => {
      const request = { get: '/logs/entry', query: { team_id: team, entry } }
      await show(request, loggedEntrySchema, describeEntry)
    })
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

type EntriesQuery = Readonly<Record<'team_id' | 'before' | 'event' | 'tool', string | undefined>>

/** Reads as many pages as `limit` takes. The reply is the admin door's, as if one page could hold `limit` entries. */
async function readEntries(
  ask: CommandContext['ask'],
  query: EntriesQuery,
  limit: number,
): Promise<LogEntriesPage> {
  const items: LoggedEntry[] = []
  for (let { before } = query; ; ) {
    const size = Math.min(limit - items.length, maximumPageSize)
    const page = await ask(
      { get: '/logs/entries', query: { ...query, limit: size, before } },
      logEntriesPageSchema,
    )
    items.push(...page.items)
    if (page.next_before === null || page.items.length === 0 || items.length >= limit)
      return { items, next_before: page.next_before }
    before = page.next_before
  }
}

/** The same for the rows of the audit. */
async function readAudit(
  ask: CommandContext['ask'],
  team: string | undefined,
  limit: number,
): Promise<AuditPage> {
  const items: AuditRow[] = []
  for (let before: number | undefined; ; ) {
    const size = Math.min(limit - items.length, maximumAuditPage)
    const query = { limit: size, before_id: before, team_id: team }
    const page = await ask({ get: '/audit', query }, auditPageSchema)
    items.push(...page.items)
    if (page.next_before_id === null || page.items.length === 0 || items.length >= limit)
      return { items, next_before_id: page.next_before_id }
    before = page.next_before_id
  }
}
