// `fairgate call …`: records of the calls that teams made on the gateway.
import {
  type CallItem,
  callEndpoints,
  callOutcomes,
  type OrganiserCallItem,
  organiserCallSchema,
} from '@fairgate/contracts/calls/call.ts'
import {
  maximumCallsPage,
  type OrganiserCallsPage,
  organiserCallsPageSchema,
} from '@fairgate/contracts/calls/call-list.ts'
import { type Command, Option } from 'commander'
import { addCommand, addRequest } from '../add-request.ts'
import { type CommandContext, readPages } from '../command-context.ts'
import type { AdminQuery } from '../door/call-admin-door.ts'
import { parseInteger, parseTime, timeHelp } from '../options.ts'
import { absent, formatFields, formatItems, formatNano, formatUsd } from '../output/format.ts'

const groupHelp = `
Examples:
  $ fairgate call list team-01
  $ fairgate call list --outcome refused --limit 200
  $ fairgate call show 019e2f6a-4c1b-7d3e-8f00-5a6b7c8d9e0f`

const listHelp = `
A call that costs money is listed as soon as it is charged, a refused one within a second. Equal refusals in
a row share one line with their number (×120), written within a minute.
${timeHelp}

Examples:
  $ fairgate call list team-01 --outcome refused
  $ fairgate call list team-01 --code budget_exceeded --from -2h
  $ fairgate call list --session 019e2f6a-4c1b-7d3e-8f00-5a6b7c8d9e0f
  $ fairgate call list team-01 --key laptop --json`

export function addCallCommands(program: Command, context: CommandContext): void {
  const group = program.command('call').description('view calls: cost, outcome, tool and session')
  group.addHelpText('after', groupHelp)
  addCommand(
    group,
    {
      verb: 'list',
      description: 'list the calls of all teams or one, newest first',
      isOfTeams: true,
      options: [
        ['--key <key>', 'only calls of this key: alias, masked name or SHA-256'],
        new Option('--endpoint <name>', 'only calls to this endpoint').choices(callEndpoints),
        ['--model <name>', 'only calls that asked for this model or were served by it'],
        ['--tool <name>', 'only calls of this tool, such as claude or codex'],
        ['--session <id>', 'only calls of this session of a tool'],
        new Option('--outcome <name>', 'only calls with this outcome').choices(callOutcomes),
        ['--code <code>', 'only calls that ended with this error, such as rpm_exceeded'],
        ['--undelivered', 'only calls with an undelivered answer'],
        ['--from <time>', 'only calls from then on, such as -2h', parseTime],
        ['--until <time>', 'only calls before then', parseTime],
        ['--before <place>', 'continue where the last list ended'],
        ['--limit <n>', 'at most this many', parseInteger(1, 100_000), 50],
      ],
      names: { session: 'session_id' },
      help: listHelp,
    },
    async ({ limit, ...query }) =>
      context.print(await readCalls(context.ask, query, Number(limit)), describeCalls, 'items'),
  )
  addRequest(group, context, {
    verb: 'show',
    description: 'show one call in full, with an explanation if it failed',
    arguments: [['<call>', 'id of the call, the x-gateway-call-id of its answer']],
    request: (_, call) => ({ get: `/calls/${encodeURIComponent(call)}` }),
    reply: organiserCallSchema,
    describe: describeCall,
  })
}

/** Reads as many pages as `limit` takes, empty ones too. The reply is the admin door's, as if one page could hold `limit` calls. */
export async function readCalls(
  ask: CommandContext['ask'],
  query: AdminQuery,
  limit: number,
): Promise<OrganiserCallsPage> {
  return await readPages(
    (before, most) => {
      const page = { limit: Math.min(most, maximumCallsPage), before: before ?? query.before }
      return ask({ get: '/calls', query: { ...query, ...page } }, organiserCallsPageSchema)
    },
    page => page.next_before,
    limit,
  )
}

/** Characters of a model's name in a line of the list. */
const modelLength = 24

export function describeCalls({ items, next_before: nextBefore }: OrganiserCallsPage): string {
  const table = formatItems(items, 'No calls.', {
    TIME: call => `${call.received_at.slice(0, 19)}Z`,
    TEAM: 'team_id',
    MODEL: call => shorten(call.model_served ?? call.model_asked ?? absent),
    OUTCOME: describeOutcome,
    TOKENS: ({ input_tokens: input, output_tokens: output }) =>
      input + output === 0 ? null : `${input}+${output}`,
    USD: call => (call.cost_nano === 0 ? null : formatUsd(call.cost)),
    TOOL: 'tool',
    CALL: 'call_id',
  })
  return items.length === 0 || nextBefore === null ? table : `${table}\n\nOlder ones: --before ${nextBefore}`
}

function shorten(name: string): string {
  return name.length > modelLength ? `${name.slice(0, modelLength - 1)}…` : name
}

/** `completed`, `rpm_exceeded ×120` */
function describeOutcome({ outcome, code, count }: CallItem): string {
  return `${code ?? outcome}${count === 1 ? '' : ` ×${count}`}`
}

function describeCall(call: OrganiserCallItem): string {
  const { session, refusal } = call
  const shown = formatFields([
    ['call', call.call_id],
    ['team', call.team_id],
    ['key', call.key_name === null ? `${call.key} (deleted)` : describeKey(call.key_name, call.key_alias)],
    ['endpoint', call.endpoint],
    ['model', describeModel(call)],
    ['outcome', [call.outcome, call.code, call.status].filter(part => part !== null).join(', ')],
    ['received', call.received_at],
    ['ended', `${call.ended_at}, after ${call.duration_ms} ms`],
    ['first byte', call.first_byte_ms === null ? null : `after ${call.first_byte_ms} ms`],
    ['tokens', `${call.input_tokens} in, ${call.output_tokens} out`],
    ['units', describeUnits(call.units)],
    ['cost', `${formatUsd(call.cost)} USD${call.flag === null ? '' : ` (${call.flag})`}`],
    ...call.corrections.map(({ kind, amount, at, reason }): [string, string] => [
      kind === 'refund' ? 'refunded' : 'corrected',
      `${formatUsd(amount)} USD at ${at}: ${reason}`,
    ]),
    call.corrections.length > 0 && ['left of the cost', `${formatNano(call.left_nano)} USD`],
    ['upstream', [call.upstream, call.upstream_key].filter(part => part !== null).join(', key ') || absent],
    ['tool', call.tool],
    ['session', session.id === null ? absent : `${session.id} (from ${session.source ?? absent})`],
    ['user agent', call.user_agent],
    ['sent from', call.client_address],
    ['digests', call.has_digests ? 'kept' : 'none'],
    ['seal', call.is_sealed ? 'holds' : 'BROKEN: the record was changed'],
    session.parent !== null && ['started by', session.parent],
    refusal !== null && [
      'limit',
      `${refusal.level}: ${refusal.used} of ${refusal.limit} used, ${refusal.held} held, reset ${refusal.reset ?? 'never'}`,
    ],
    call.count > 1 && ['stands for', `${call.count} calls, the last at ${call.last_at}`],
  ])
  return call.explanation === null ? shown : `${shown}\n\n${call.explanation}`
}

function describeKey(name: string, alias: string | null): string {
  return alias === null || alias === '' ? name : `${name} (${alias})`
}

function describeModel({ model_asked: asked, model_served: served }: CallItem): string {
  if (served === null) return asked === null ? absent : `${asked}, not served`
  return asked === null || asked === served ? served : `${served}, asked for as ${asked}`
}

function describeUnits(units: CallItem['units']): string {
  const shown = Object.entries(units).flatMap(([unit, number]) => (number === 0 ? [] : [`${unit} ${number}`]))
  return shown.length === 0 ? absent : shown.join(', ')
}
