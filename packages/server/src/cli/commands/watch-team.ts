// `fairgate timeline`, `session list` and `recorder list`: what one team has done, in what sessions, and whether its recorders keep up.
import { type RecordersReply, recordersReplySchema } from '@fairgate/contracts/console/recorders.ts'
import { type SessionsReply, sessionsReplySchema } from '@fairgate/contracts/console/sessions.ts'
import {
  type TimelineReply,
  timelineKinds,
  timelineReplySchema,
} from '@fairgate/contracts/console/timeline.ts'
import { type Command, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { parseInteger } from '../options.ts'
import { absent, formatNano, formatTable } from '../output/format.ts'

const timelineHelp = `
The newest comes first. --after goes on where the page before ended; the last line names it.

Examples:
  $ fairgate timeline team-01
  $ fairgate timeline team-01 --kind refusal --limit 20`

const sessionHelp = `
Examples:
  $ fairgate session list team-01
  $ fairgate session list team-01 --unlogged --from 2026-11-21T09:00
  $ fairgate session list team-01 --tool claude-code`

const recorderHelp = `
Examples:
  $ fairgate recorder list team-01`

const teamArgument = ['<team>', 'id of the team'] as const
const afterOption = ['--after <place>', 'go on after the page before, as its last line says'] as const

type PageOptions = { readonly limit?: number; readonly after?: string }
type SessionOptions = PageOptions & {
  readonly tool?: string
  readonly logged?: boolean
  readonly unlogged?: boolean
  readonly from?: string
  readonly until?: string
}

export function addWatchTeamCommands(program: Command, { show }: Pick<CommandContext, 'show'>): void {
  program
    .command('timeline')
    .description('calls, refusals and log entries of a team, and what organisers did that it notices')
    .argument(...teamArgument)
    .addOption(new Option('--kind <kind>', 'only these').choices(timelineKinds))
    .option('--limit <n>', 'so many at most (default: 50)', parseInteger(1, 200))
    .option(...afterOption)
    .addHelpText('after', timelineHelp)
    .action(async (team: string, options: PageOptions & { readonly kind?: string }) => {
      const query = { team_id: team, ...options }
      await show({ get: '/timeline', query }, timelineReplySchema, describeTimeline)
    })
  program
    .command('session')
    .description("conversations of a team's tools")
    .addHelpText('after', sessionHelp)
    .command('list')
    .description('sessions of a team from its log and its calls, the one that went on last first')
    .argument(...teamArgument)
    .option('--tool <name>', 'only of this tool')
    .addOption(new Option('--logged', 'only those with log entries').conflicts('unlogged'))
    .option('--unlogged', 'only those without')
    .option('--from <time>', 'only those that went on at this time or later')
    .option('--until <time>', 'only those that began before this time')
    .option('--limit <n>', 'so many at most (default: 50)', parseInteger(1, 500))
    .option(...afterOption)
    .action(async (team: string, { logged, unlogged, ...options }: SessionOptions) => {
      const isLogged = logged === true ? true : unlogged === true ? false : undefined
      const query = { team_id: team, logged: isLogged, ...options }
      await show({ get: '/sessions', query }, sessionsReplySchema, describeSessions)
    })
  program
    .command('recorder')
    .description('recorders of the teams')
    .addHelpText('after', recorderHelp)
    .command('list')
    .description('who records what on which clone, and whether it lags behind')
    .argument(...teamArgument)
    .action(async (team: string) => {
      await show({ get: '/recorders', query: { team_id: team } }, recordersReplySchema, describeRecorders)
    })
}

function describeTimeline({ items, next }: TimelineReply): string {
  if (items.length === 0) return withNext('Nothing.', next)
  const rows = items.map(({ kind, at, model, tool, event, cost_nano, count, text }) => [
    at,
    count === 1 ? kind : `${kind} × ${count}`,
    model ?? event ?? absent,
    tool ?? absent,
    cost_nano === null ? absent : formatNano(cost_nano),
    text,
  ])
  return withNext(formatTable(['AT', 'WHAT', 'MODEL OR EVENT', 'TOOL', 'USD', 'TEXT'], rows), next)
}

function describeSessions({ items, next, total }: SessionsReply): string {
  if (items.length === 0) return withNext('No sessions.', next)
  const rows = items.map(session => [
    session.session_id,
    session.tool ?? absent,
    session.first_at,
    session.last_at,
    nameMembers(session),
    String(session.prompts),
    String(session.entries),
    String(session.calls),
    formatNano(session.cost_nano),
  ])
  const titles = ['SESSION', 'TOOL', 'FIRST', 'LAST', 'WHO', 'PROMPTS', 'ENTRIES', 'CALLS', 'USD']
  const all = `All ${total.count}: ${total.entries} entries, ${total.calls} calls, ${formatNano(total.cost_nano)} USD.`
  return withNext(`${formatTable(titles, rows)}\n\n${all}`, next)
}

function describeRecorders({ items }: RecordersReply): string {
  if (items.length === 0) return 'No recorders: none has sent an entry.'
  const rows = items.map(recorder => [
    recorder.clone_id,
    nameMembers(recorder),
    recorder.version ?? absent,
    recorder.last_seen ?? absent,
    recorder.last_event ?? absent,
    String(recorder.entries),
    String(recorder.missing),
    recorder.unsent === null ? absent : String(recorder.unsent),
  ])
  const titles = ['CLONE', 'WHO', 'VERSION', 'LAST SEEN', 'LAST EVENT', 'ENTRIES', 'MISSING', 'UNSENT']
  const warnings = items.flatMap(({ clone_id, warnings }) =>
    warnings.map(({ text }) => `\nwarning: ${clone_id}: ${text}`),
  )
  return `${formatTable(titles, rows)}${warnings.join('')}`
}

/** Members by their names; where no token tells, the addresses that entries name. */
function nameMembers({
  members,
  students,
}: {
  readonly members: readonly { readonly name: string }[]
  readonly students: readonly string[]
}): string {
  const names = members.length > 0 ? members.map(({ name }) => name) : students
  return names.length === 0 ? absent : names.join(', ')
}

function withNext(text: string, next: string | null): string {
  return next === null ? text : `${text}\n\nMore with --after ${next}`
}
