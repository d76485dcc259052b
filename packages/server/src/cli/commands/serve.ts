// `fairgate serve`: runs the server in one process or in more.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type ProcessesSetting, parseProcesses, processesRule } from '../../process/plan-processes.ts'
import type { CommandContext } from '../command-context.ts'

const help = `
Everything else is set by environment variables: FAIRGATE_DATA_DIR, FAIRGATE_CONFIG, FAIRGATE_HOST, …
Without VENDOR_API_KEY, calls go to the embedded sandbox, which costs nothing.

Signals: SIGTERM and SIGINT let running calls finish, a second one ends the server at once. SIGHUP reloads the catalog of models.
SIGUSR2 (Linux) replaces this server by a new one, with new code and settings; no request is lost.

Multiple processes (Linux, PostgreSQL) share the addresses, one per core with "auto". A process that dies is replaced, signals go to
all of them, and SIGUSR2 replaces them one by one. FAIRGATE_PROCESSES does the same as the option.

Examples:
  $ fairgate serve
  $ DATABASE_URL=postgres://… fairgate serve --processes auto
  $ FAIRGATE_DATA_DIR=/var/lib/fairgate VENDOR_API_KEY=… fairgate serve`

export function addServeCommand(program: Command, { serve, variables }: CommandContext): void {
  program
    .command('serve')
    .description('run the gateway, the logbook and the admin door')
    .option('--take-over', 'start next to the server that uses this database, and replace it when it ends')
    .option('--processes <number>', 'number of processes, 1 to 64 or "auto" (default: 1)', readProcesses)
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
