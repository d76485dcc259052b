// `fairgate serve`: runs the server in this process.
import type { Command } from 'commander'
import type { ProgramDependencies } from '../dependencies.ts'

const help = `
Everything else is set by environment variables: FAIRGATE_DATA_DIR, FAIRGATE_CONFIG, FAIRGATE_HOST, …
Without VENDOR_API_KEY, calls go to the embedded sandbox, which costs nothing.

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
    .addHelpText('after', help)
    .action(async () => {
      await serve(variables)
    })
}
