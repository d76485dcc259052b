// `fairgate admin-key …` manages admin keys and their roles; `fairgate link` creates a link that signs in to the console.
import {
  adminKeyListSchema,
  adminKeyReplySchema,
  type NewAdminKeyReply,
  newAdminKeyReplySchema,
  signInLinkSchema,
} from '@fairgate/contracts/management/access.ts'
import { roles } from '@fairgate/contracts/management/roles.ts'
import { type Command, Option } from 'commander'
import { reasonOption } from '../actions.ts'
import { addAction, addRequest } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { describeState, formatFields, formatItems } from '../output/format.ts'

const help = `
Roles: an organiser may do everything except enter scores; a head judge runs judging, enters scores from paper and reads
what judges read; a judge reads teams, calls, sessions and entries, unless judging is blind; an operator reads readiness,
upstreams, models and the audit. The key in FAIRGATE_ADMIN_KEY belongs to an organiser named "admin".

Judges who score need no key but a claim link: "fairgate api POST /judging/codes judges=all".

Examples:
  $ fairgate admin-key create "Jiwoo Han" --role judge
  $ fairgate admin-key list
  $ fairgate admin-key update ak_… --role operator
  $ fairgate admin-key block ak_…
  $ fairgate admin-key unblock ak_…
  $ fairgate admin-key regenerate ak_… --reason "laptop lost"
  $ fairgate admin-key delete ak_…`

const keyArgument = ['<key>', 'id of the admin key, as the list shows it'] as const
const blockings = [
  ['block', true, 'block an admin key and sign its holder out', 'is blocked.'],
  ['unblock', false, 'unblock an admin key', 'works again.'],
] as const

export function addAdminKeyCommands(program: Command, context: CommandContext): void {
  const roleOption = () => new Option('--role <role>', 'what the key may do').choices([...roles])
  const group = program
    .command('admin-key')
    .description('manage admin keys of organisers, head judges, judges and operators')
    .addHelpText('after', help)
  addRequest(group, context, {
    verb: 'create',
    description: 'create an admin key and print it once',
    arguments: [['<name>', 'name that the audit records']],
    options: [roleOption().makeOptionMandatory(), reasonOption],
    request: (fields, name) => ({ post: '/admin_keys', body: { name, ...fields } }),
    reply: newAdminKeyReplySchema,
    describe: describeNewKey,
  })
  addRequest(group, context, {
    verb: 'list',
    description: 'list admin keys with their names and roles',
    request: () => ({ get: '/admin_keys' }),
    reply: adminKeyListSchema,
    list: 'items',
    describe: ({ items }) =>
      formatItems(
        items,
        'No named admin keys. Create one with "fairgate admin-key create NAME --role organiser".',
        {
          'KEY ID': 'key_id',
          KEY: 'key_name',
          NAME: 'name',
          ROLE: 'role',
          STATE: key => describeState(key.blocked),
          CREATED: 'created_at',
          BY: 'created_by',
        },
      ),
  })
  addRequest(group, context, {
    verb: 'update',
    description: 'change the name or the role of an admin key',
    arguments: [keyArgument],
    options: [['--name <name>', 'name that the audit records'], roleOption(), reasonOption],
    request: (body, id) => ({ post: pathOf(id), body }),
    reply: adminKeyReplySchema,
    describe: ({ key_id, name, role }) => `Admin key ${key_id} belongs to ${name}, ${role}.`,
  })
  for (const [verb, blocked, description, outcome] of blockings)
    addRequest(group, context, {
      verb,
      description,
      arguments: [keyArgument],
      options: [reasonOption],
      request: (fields, id) => ({ post: pathOf(id), body: { blocked, ...fields } }),
      reply: adminKeyReplySchema,
      describe: ({ name }) => `The admin key of ${name} ${outcome}`,
    })
  addAction(group, context, {
    verb: 'regenerate',
    description: 'replace the secret of an admin key and print it once; the old one stops working',
    arguments: [keyArgument],
    request: (_, id) => ({ post: `${pathOf(id)}/regenerate`, body: {} }),
    reply: newAdminKeyReplySchema,
    describe: describeNewKey,
  })
  addAction(group, context, {
    verb: 'delete',
    description: 'delete an admin key and sign its holder out',
    arguments: [keyArgument],
    request: (_, id) => ({ delete: pathOf(id) }),
    reply: adminKeyReplySchema,
    describe: ({ name }) => `The admin key of ${name} is deleted.`,
  })
}

function pathOf(id: string): string {
  return `/admin_keys/${encodeURIComponent(id)}`
}

function describeNewKey({ key, key_id, name, role }: NewAdminKeyReply): string {
  return `Admin key of ${name} (${role}), not shown again:\n\n  ${key}\n\n${formatFields([['key id', key_id]])}`
}

const linkHelp = `
The link signs in with the admin key of this command line and has its role. The first person to open it is signed in: do not share it.

Examples:
  $ fairgate link
  $ xdg-open "$(fairgate link --json | jq -r .url)"`

export function addLinkCommand(program: Command, context: CommandContext): void {
  addRequest(program, context, {
    verb: 'link',
    description: 'create a link that signs in to the console once, within 15 minutes',
    help: linkHelp,
    request: () => ({ post: '/session/link', body: {} }),
    reply: signInLinkSchema,
    describe: ({ url, expires_at }) => `${url}\n\nIt works once, until ${expires_at}.`,
  })
}
