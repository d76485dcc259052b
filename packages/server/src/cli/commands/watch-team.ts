// `fairgate timeline`, `session list` and `recorder list`: what one team has done, in what sessions, and whether its recorders keep up.
import { recordersReplySchema } from '@fairgate/contracts/console/recorders.ts'
import { sessionsReplySchema } from '@fairgate/contracts/console/sessions.ts'
import { timelineKinds, timelineReplySchema } from '@fairgate/contracts/console/timeline.ts'
import { type Command, Option } from 'commander'
import { addRequest } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { parseInteger } from '../options.ts'
import { absent, formatItems, formatNano } from '../output/format.ts'

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

export function addWatchTeamCommands(program: Command, context: CommandContext): void {
  addRequest(program, context, {
    verb: 'timeline',
    description: 'calls, refusals and log entries of a team, and what organisers did that it notices',
    arguments: [teamArgument],
    options: [
      new Option('--kind <kind>', 'only these').choices(timelineKinds),
      ['--limit <n>', 'so many at most (default: 50)', parseInteger(1, 200)],
      afterOption,
    ],
    help: timelineHelp,
    request: (fields, team_id) => ({ get: '/timeline', query: { team_id, ...fields } }),
    reply: timelineReplySchema,
    describe: ({ items, next }) =>
      withNext(
        formatItems(items, 'Nothing.', {
          AT: 'at',
          WHAT: ({ kind, count }) => (count === 1 ? kind : `${kind} × ${count}`),
          'MODEL OR EVENT': ({ model, event }) => model ?? event,
          TOOL: 'tool',
          USD: ({ cost_nano }) => (cost_nano === null ? null : formatNano(cost_nano)),
          TEXT: 'text',
        }),
        next,
      ),
  })
  const session = program.command('session').description("conversations of a team's tools")
  addRequest(session.addHelpText('after', sessionHelp), context, {
    verb: 'list',
    description: 'sessions of a team from its log and its calls, the one that went on last first',
    arguments: [teamArgument],
    options: [
      ['--tool <name>', 'only of this tool'],
      new Option('--logged', 'only those with log entries').conflicts('unlogged'),
      ['--unlogged', 'only those without'],
      ['--from <time>', 'only those that went on at this time or later'],
      ['--until <time>', 'only those that began before this time'],
      ['--limit <n>', 'so many at most (default: 50)', parseInteger(1, 500)],
      afterOption,
    ],
    request: ({ unlogged, ...fields }, team_id) => ({
      get: '/sessions',
      query: { team_id, ...fields, ...(unlogged === true ? { logged: false } : {}) },
    }),
    reply: sessionsReplySchema,
    describe: ({ items, next, total }) => {
      const table = formatItems(items, 'No sessions.', {
        SESSION: 'session_id',
        TOOL: 'tool',
        FIRST: 'first_at',
        LAST: 'last_at',
        WHO: nameMembers,
        PROMPTS: 'prompts',
        ENTRIES: 'entries',
        CALLS: 'calls',
        USD: one => formatNano(one.cost_nano),
      })
      if (items.length === 0) return withNext(table, next)
      const all = `All ${total.count}: ${total.entries} entries, ${total.calls} calls, ${formatNano(total.cost_nano)} USD.`
      return withNext(`${table}\n\n${all}`, next)
    },
  })
  const recorder = program.command('recorder').description('recorders of the teams')
  addRequest(recorder.addHelpText('after', recorderHelp), context, {
    verb: 'list',
    description: 'who records what on which clone, and whether it lags behind',
    arguments: [teamArgument],
    request: (_, team_id) => ({ get: '/recorders', query: { team_id } }),
    reply: recordersReplySchema,
    describe: ({ items }) => {
      const warnings = items.flatMap(({ clone_id, warnings }) =>
        warnings.map(({ text }) => `\nwarning: ${clone_id}: ${text}`),
      )
      const table = formatItems(items, 'No recorders: none has sent an entry.', {
        CLONE: 'clone_id',
        WHO: nameMembers,
        VERSION: 'version',
        'LAST SEEN': 'last_seen',
        'LAST EVENT': 'last_event',
        ENTRIES: 'entries',
        MISSING: 'missing',
        UNSENT: 'unsent',
      })
      return `${table}${warnings.join('')}`
    },
  })
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
