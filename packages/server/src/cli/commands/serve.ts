// `fairgate serve`: runs the server in this process.
import type { Command } from 'commander'
import type { ProgramDependencies } from '../dependencies.ts'

const help = `
Everything else is set by environment variables: FAIRGATE_DATA_DIR, FAIRGATE_CONFIG, FAIRGATE_HOST, …
Without VENDOR_API_KEY, calls go to the embedded sandbox, which costs nothing.

Signals: SIGTERM and SIGINT let running calls end, a second one ends the server at once. SIGHUP reads the catalog of models again.
SIGUSR2 (Linux) puts a new server in the place of this one, with new code and settings; no request is lost.

Examples:
  $ fairgate serve
  $ FAIRGATE_DATA_DIR=/var/lib/fairgate VENDOR_API_KEY=… fairgate serve`

export function addServeCommand(
  program: Command,
  { serve, variables }: Pick<ProgramDependencies, 'serve' | 'variables'>,
): void {
  program
    .command('serve')
    .description('run the gateway, the logbook and the admin door')
    .option('--take-over', 'start beside the server that runs on this database, and go on when it ends')
    .addHelpText('after', help)
    .action(async ({ takeOver = false }: { readonly takeOver?: boolean }) => {
      await serve(variables, { takeOver })
    })
}
