// `fairgate doctor`: checks whether the installation is ready for an event, and says how to fix problems; with or without a server.
import { type FirstSteps, firstStepsSchema } from '@fairgate/contracts/management/first-steps.ts'
import {
  type Finding,
  type ReadinessItem,
  readinessCheckSchema,
  readinessSchema,
} from '@fairgate/contracts/management/readiness.ts'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { CommandFailure } from '../command-failure.ts'
import { formatNano } from '../output/format.ts'
import { wrapLine } from '../output/lay-out-help.ts'

const help = `
If the admin door answers, the server checks itself. Otherwise this command checks what it finds with the same settings
as "fairgate serve": configuration, files, database, upstreams, network, ports.

Exit codes: 0 all is well; 1 there are warnings; 2 there are faults.

Examples:
  $ fairgate doctor
  $ fairgate doctor --no-calls --backups /backup
  $ fairgate doctor --json
  $ fairgate doctor --first-steps`

type DoctorOptions = { readonly calls: boolean; readonly backups?: string; readonly firstSteps?: true }

type Checkup = { readonly server: string | null; readonly items: readonly ReadinessItem[] }

export function addDoctorCommand(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .description(
      'check configuration, prices, keys, database, clock, disk and addresses, and say how to fix each',
    )
    .option('--no-calls', 'do not call the upstreams to try their keys')
    .option('--backups <folder>', 'also check the age of the newest backup in this folder')
    .option('--first-steps', 'instead list what to set up before an event and what is done')
    .addHelpText('after', help)
    .action(async (options: DoctorOptions) => {
      if (options.firstSteps === true)
        return await context.show({ get: '/first_steps' }, firstStepsSchema, steps =>
          describeFirstSteps(steps, widthOf(context)),
        )
      const checkup = (await askServer(context, options)) ?? (await checkHere(context, options))
      context.print(checkup, reply => describeCheckup(reply, widthOf(context)))
      const count = (state: Finding['state']) => checkup.items.filter(item => item.state === state).length
      const [faults, warnings] = [count('fault'), count('warning')]
      if (faults > 0) throw new CommandFailure(2, `${faults} of ${checkup.items.length} parts have a fault.`)
      if (warnings > 0)
        throw new CommandFailure(1, `${warnings} of ${checkup.items.length} parts have a warning.`)
    })
}

/** Null if no admin door was found. */
async function askServer(
  { ask, isUrlGiven, loadDoctor, writeError }: CommandContext,
  { calls, backups }: DoctorOptions,
): Promise<Checkup | null> {
  const known = await ask({ get: '/readiness', patient: true }, readinessSchema).catch(error => {
    // A server that is named must not be replaced by a local check.
    if (error instanceof CommandFailure && error.exitCode === 3 && !isUrlGiven()) return null
    throw error
  })
  if (known === null) return null
  if (calls) announceCalls({ calls: known.key_trial.calls, costNano: known.key_trial.cost_nano }, writeError)
  const items: ReadinessItem[] = []
  for (const { part } of known.items) {
    const body = { calls: calls && part === 'upstreams' }
    const { item } = await ask({ post: `/readiness/${part}/check`, body }, readinessCheckSchema)
    items.push(item)
  }
  if (backups !== undefined) items.push(...(await (await loadDoctor()).createBackupsBoard(backups).read()))
  return { server: 'the server that answers at the admin door', items }
}

async function checkHere(
  { loadDoctor, variables, writeError }: CommandContext,
  { calls, backups }: DoctorOptions,
): Promise<Checkup> {
  const { board, priceCalls } = (await loadDoctor()).createDoctor(variables, backups ?? null)
  const items = await board.read()
  const price = priceCalls()
  if (!calls || price.calls === 0 || !items.some(({ part }) => part === 'upstreams'))
    return { server: null, items }
  announceCalls(price, writeError)
  const tried = await board.check('upstreams', true)
  return { server: null, items: items.map(item => (item.part === 'upstreams' ? tried : item)) }
}

function announceCalls(
  { calls, costNano }: { readonly calls: number; readonly costNano: number },
  writeError: (text: string) => void,
): void {
  if (calls === 0) return
  const count = calls === 1 ? 'One small call tries the key' : `${calls} small calls try the keys, one each`
  writeError(`${count}, for at most ${formatNano(costNano)} USD in all (--no-calls leaves this out).\n`)
}

function widthOf({ given }: CommandContext): number {
  return given.layout.width ?? Number.POSITIVE_INFINITY
}

function describeCheckup({ server, items }: Checkup, width: number): string {
  const place =
    server === null
      ? 'No admin door answers: checked this machine without a server.'
      : `Checked by ${server}.`
  return [place, ...items.flatMap(item => describeItem(item, width))].join('\n')
}

function describeFirstSteps({ items, done }: FirstSteps, width: number): string {
  const lines = items.flatMap(({ title, is_done, text, action }) => [
    `${is_done ? '[x]' : '[ ]'} ${wrap(`${title}: ${text}`, width, 4)}`,
    ...(is_done ? [] : [`    → ${action.command}`]),
  ])
  return [`${done} of ${items.length} done.`, ...lines].join('\n')
}

function describeItem({ part, findings }: ReadinessItem, width: number): string[] {
  return findings.flatMap(({ state, text, fix }) => [
    `${state.padEnd(7)}  ${part.padEnd(13)}  ${wrap(text, width, 24)}`,
    ...(fix === null ? [] : [`${' '.repeat(24)}  → ${wrap(fix, width, 28)}`]),
  ])
}

/** Lines after the first are indented. */
function wrap(text: string, width: number, indent: number): string {
  return wrapLine(text, width - indent).join(`\n${' '.repeat(indent)}`)
}
