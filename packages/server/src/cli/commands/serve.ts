// `fairgate serve`: runs the server, in this process or in several.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type ProcessesSetting, parseProcesses, processesRule } from '../../process/plan-processes.ts'
import type { CommandContext } from '../command-context.ts'

const help = `
Everything else is set by environment variables: FAIRGATE_DATA_DIR, FAIRGATE_CONFIG, FAIRGATE_HOST, …
Without VENDOR_API_KEY, calls go to the embedded sandbox, which costs nothing.

Signals: SIGTERM and SIGINT let running calls end, a second one ends the server at once. SIGHUP reads the catalog of models again.
SIGUSR2 (Linux) puts a new server in the place of this one, with new code and settings; no request is lost.

Several processes (Linux, PostgreSQL) share the addresses, one for each core with "auto". A process that dies is replaced, signals go to
all of them, and SIGUSR2 replaces them one by one. FAIRGATE_PROCESSES says the same as the option.

Examples:
  $ fairgate serve
  $ DATABASE_URL=postgres://… fairgate serve --processes auto
  $ FAIRGATE_DATA_DIR=/var/lib/fairgate VENDOR_API_KEY=… fairgate serve`

export function addServeCommand(program: Command, { serve, variables }: CommandContext): void {
  program
    .command('serve')
    .description('run the gateway, the logbook and the admin door')
    .option(
      '--take-over',
      'start beside the server that has this database for itself, and take its place when it ends',
    )
    .option(
      '--processes <number>',
      'serve with so many processes (1 to 64), or with "auto" (default: 1)',
      readProcesses,
    )
    .addOption(new Option('--member').hideHelp())
    .addHelpText('after', help)
    .action(async ({ takeOver = false, processes, member = false }: Given) => {
      await serve(variables, { takeOver, processes: processes ?? null, isMember: member })
    })
}

type Given = { readonly takeOver?: boolean; readonly processes?: ProcessesSetting; readonly member?: boolean }

function readProcesses(text: string): ProcessesSetting {
  const setting = parseProcesses(text)
  if (setting === null) throw new InvalidArgumentError(`It ${processesRule}.`)
  return setting
}
