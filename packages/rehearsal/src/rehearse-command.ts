// Builds the `npm run rehearse` command: plays a small event through the real doors with the sandbox as the provider, and prints whether the
// server is ready.
import { readinessSchema } from '@fairgate/contracts/management/readiness.ts'
import { showText } from '@fairgate/contracts/text/show-hidden.ts'
import { Command } from 'commander'
import { createCommandContext, type DoorContext } from '../../server/src/cli/command-context.ts'
import { CommandFailure, refuseUsage } from '../../server/src/cli/command-failure.ts'
import type { ProgramDependencies } from '../../server/src/cli/dependencies.ts'
import { parseBudget, parseInteger } from '../../server/src/cli/options.ts'
import { absent, formatFields, formatNano } from '../../server/src/cli/output/format.ts'
import type { RehearsalRequest, RehearsalResult, RehearsalServer } from './load/run-rehearsal.ts'
import type { OwnServer, Variables } from './start-own-server.ts'

const help = `
Without --url it starts its own server on free ports, with a temporary data folder, the settings and models of FAIRGATE_CONFIG, and the
embedded sandbox. The load runs on the same machine and uses part of it. Everything is removed at the end.

With --url it uses a running server and needs the addresses of its doors. The rehearsal's teams are blocked afterwards, but their calls stay in the
reports. A server with a real provider is refused unless you give --spend-real-money and --budget. Each team can then spend up to
its budget.

Press Ctrl-C to stop early and see the figures so far. Exit codes: 0 ready or ready with remarks, 1 not ready, 2 wrong usage, 3 admin door unreachable.

Examples:
  $ npm run rehearse -- --teams 60 --minutes 5
  $ npm run rehearse -- --url http://127.0.0.1:4002 --gateway-url http://127.0.0.1:4000 --logbook-url http://127.0.0.1:4001`

type RehearseOptions = {
  readonly teams: number
  readonly minutes: number
  readonly budget?: number
  readonly folder?: string
  readonly gatewayUrl?: string
  readonly logbookUrl?: string
  readonly spendRealMoney?: true
}

export type RehearseDependencies = Pick<
  ProgramDependencies,
  'fetch' | 'writeOutput' | 'writeError' | 'variables' | 'readTextFile'
> & {
  /** `place`: parent of the temporary folder; null for the system's. */
  readonly startServer: (variables: Variables, place: string | null) => Promise<OwnServer>
  readonly run: (request: Omit<RehearsalRequest, 'name'>) => Promise<RehearsalResult>
  /** Notes the rehearsal in the server's data folder, if that is on this machine. */
  readonly noteRun: () => void
  /** Calls `run` at the first Ctrl-C. Returns a function that removes the handler. */
  readonly onInterrupt: (run: () => void) => () => void
}

export function buildRehearseCommand(given: RehearseDependencies): Command {
  // Server messages may contain names that others wrote.
  const dependencies: RehearseDependencies = {
    ...given,
    writeOutput: text => given.writeOutput(showText(text)),
    writeError: text => given.writeError(showText(text)),
  }
  const command = new Command('npm run rehearse --')
  const context = createCommandContext(command, dependencies)
  return command
    .description(
      'simulate an event with many teams through the real doors, and report whether the server can handle it',
    )
    .option('--teams <n>', 'number of teams', parseInteger(1, 500), 60)
    .option('--minutes <n>', 'length of the rehearsal in minutes', parseInteger(1, 240), 5)
    .option('--budget <usd>', 'budget of each team (default: 25, in sandbox money)', parseBudget)
    .option('--folder <folder>', 'parent folder for temporary data (default: the system temporary folder)')
    .option('--url <url>', "address of a running server's admin door")
    .option('--gateway-url <url>', 'with --url: address of the gateway (default: FAIRGATE_GATEWAY_URL)')
    .option('--logbook-url <url>', 'with --url: address of the logbook (default: FAIRGATE_LOGBOOK_URL)')
    .option('--spend-real-money', 'with --url: allow calls to a real provider')
    .option('--json', 'print all figures as JSON')
    .exitOverride()
    .configureOutput({ writeOut: dependencies.writeOutput, writeErr: dependencies.writeError })
    .showHelpAfterError('(add --help for the options)')
    .addHelpText('after', help)
    .action((options: RehearseOptions) => rehearse(context, dependencies, options))
}

async function rehearse(
  context: DoorContext,
  { startServer, run, noteRun, onInterrupt, variables, writeError }: RehearseDependencies,
  options: RehearseOptions,
): Promise<void> {
  const { teams, minutes, budget = sandboxBudget, folder } = options
  const report = (line: string) => writeError(`${line}\n`)
  const named = context.isUrlGiven() ? await findServer(context, variables, options) : null
  const interruption = new AbortController()
  const forget = onInterrupt(() => interruption.abort())
  try {
    if (named === null) report('Starting a server with the sandbox …')
    const own = named === null ? await startServer(variables, folder ?? null) : null
    try {
      const server = own?.server ?? named
      if (server === null) return
      const result = await run({
        teams,
        milliseconds: minutes * 60_000,
        budget,
        server,
        interrupted: interruption.signal,
        report,
      })
      context.print(result, describeResult)
      noteRun()
      if (result.verdict === 'not ready')
        throw new CommandFailure(1, 'The server is not ready for this event.')
    } finally {
      await own?.stop()
    }
  } finally {
    forget()
  }
}

/** USD. More than a team spends in four hours of rehearsal. */
const sandboxBudget = 25

/** Finds a running server, and refuses one that would spend real money by mistake. */
async function findServer(
  { ask, findDoor }: DoorContext,
  variables: Variables,
  { gatewayUrl, logbookUrl, spendRealMoney, budget }: RehearseOptions,
): Promise<RehearsalServer> {
  const gateway = gatewayUrl ?? variables.FAIRGATE_GATEWAY_URL
  const logbook = logbookUrl ?? variables.FAIRGATE_LOGBOOK_URL
  if (gateway === undefined || logbook === undefined)
    throw refuseUsage('--url also needs --gateway-url and --logbook-url.')
  for (const url of [gateway, logbook])
    if (!URL.canParse(url))
      throw refuseUsage('--gateway-url and --logbook-url must be http or https addresses.')
  const { is_sandbox } = await ask({ get: '/readiness', patient: true }, readinessSchema)
  if (!is_sandbox && spendRealMoney !== true)
    throw new CommandFailure(
      1,
      'This server calls a real provider, so the rehearsal would cost real money. Omit --url to rehearse on a server with the sandbox, ' +
        'or add --spend-real-money and --budget.',
    )
  if (!is_sandbox && budget === undefined)
    throw refuseUsage('--spend-real-money also needs --budget, the most that each team may spend.')
  const { url, adminKey } = await findDoor()
  const clean = (text: string) => text.trim().replace(/\/+$/, '')
  return { gatewayUrl: clean(gateway), logbookUrl: clean(logbook), adminUrl: url, adminKey, machine: null }
}

function describeResult(result: RehearsalResult): string {
  const { call, first_token: first, push, refusals, failures, money } = result
  const times = ({ p50_ms, p95_ms }: typeof call) => `p50 ${p50_ms ?? absent} ms, p95 ${p95_ms ?? absent} ms`
  const counts = (named: Readonly<Record<string, number>>) =>
    Object.entries(named)
      .map(([name, count]) => `${count} × ${name}`)
      .join(', ') || 'none'
  const gigabytes = (bytes: number | null) => (bytes === null ? absent : `${(bytes / 1e9).toFixed(2)} GB`)
  const loop =
    result.refusals_of_the_loop === 0
      ? ''
      : ` (${result.refusals_of_the_loop} of them of the looping team, as intended)`
  const fields = formatFields([
    ['teams', `${result.teams}, for ${result.seconds} s${result.is_interrupted ? ' (interrupted)' : ''}`],
    ['calls', `${result.calls}, ${result.streams} of them streams`],
    ['calls/s', `${result.calls_per_second}, ${result.busiest_calls_per_second} in the busiest ten seconds`],
    ['call', times(call)],
    ['first token', times(first)],
    ['refused', `${counts(refusals)}${loop}`],
    ['failed', counts(failures)],
    ['entries', `${result.entries} in ${result.pushes} pushes, ${result.entries_per_second}/s`],
    ['push', times(push)],
    ['disk per hour', gigabytes(result.disk_bytes_per_hour)],
    ['memory', gigabytes(result.peak_memory_bytes)],
    [
      'money',
      `reported ${formatNano(result.told_cost_nano)}, spent ${formatNano(money.spend_nano)} USD; totals ${money.proven ? 'verified' : 'WRONG'}`,
    ],
    ['verdict', result.verdict],
  ])
  const remarks = result.remarks.map(({ state, text, fix }) => `${state}: ${text}\n  → ${fix}`)
  return [fields, ...remarks].join('\n')
}
