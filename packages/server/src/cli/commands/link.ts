// `fairgate link`: a link that opens the console signed in.
import { signInLinkSchema } from '@fairgate/contracts/management/access.ts'
import type { Command } from 'commander'
import { addRequest } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'

const help = `
It signs in with the admin key of this command line, whose role it has. Whoever opens the link first is signed in: send it to nobody.

Examples:
  $ fairgate link
  $ xdg-open "$(fairgate link --json | jq -r .url)"`

export function addLinkCommand(program: Command, context: CommandContext): void {
  addRequest(program, context, {
    verb: 'link',
    description: 'make a link that opens the console signed in, once, within 15 minutes',
    help,
    request: () => ({ post: '/session/link', body: {} }),
    reply: signInLinkSchema,
    describe: ({ url, expires_at }) => `${url}\n\nIt works once, until ${expires_at}.`,
  })
}
