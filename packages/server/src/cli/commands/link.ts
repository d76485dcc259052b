// `fairgate link`: a link that opens the console signed in.
import { signInLinkSchema } from '@fairgate/contracts/management/access.ts'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'

const help = `
It signs in with the admin key of this command line, whose role it has. Whoever opens the link first is signed in: send it to nobody.

Examples:
  $ fairgate link
  $ xdg-open "$(fairgate link --json | jq -r .url)"`

export function addLinkCommand(program: Command, { show }: CommandContext): void {
  program
    .command('link')
    .description('make a link that opens the console signed in, once, within 15 minutes')
    .addHelpText('after', help)
    .action(() =>
      show(
        { post: '/session/link', body: {} },
        signInLinkSchema,
        ({ url, expires_at }) => `${url}\n\nIt works once, until ${expires_at}.`,
      ),
    )
}
