// `fairgate admin-key …`: who may manage, with which role.
import {
  type AdminKeyList,
  adminKeyListSchema,
  adminKeyReplySchema,
  type NewAdminKeyReply,
  newAdminKeyReplySchema,
  roles,
} from '@fairgate/contracts/management/access.ts'
import { type Command, Option } from 'commander'
import { reasonOption } from '../acts.ts'
import { addAct } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { formatFields, formatTable } from '../output/format.ts'

const help = `
Roles: an organiser may do everything; a judge reads teams, calls, sessions and entries; an operator sees readiness,
upstreams, models and the audit. The key of FAIRGATE_ADMIN_KEY is that of an organiser with the name "admin".

Examples:
  $ fairgate admin-key create "Jiwoo Han" --role judge
  $ fairgate admin-key list
  $ fairgate admin-key update ak_… --role operator
  $ fairgate admin-key block ak_…
  $ fairgate admin-key regenerate ak_… --reason "laptop lost"
  $ fairgate admin-key delete ak_…`

const keyArgument = ['<key>', 'id of the admin key, as the list shows it'] as const
type Reason = { readonly reason?: string }

export function addAdminKeyCommands(program: Command, context: CommandContext): void {
  const { show } = context
  const roleOption = (text: string) => new Option('--role <role>', text).choices([...roles])
  const group = program
    .command('admin-key')
    .description('keys of organisers, judges and operators')
    .addHelpText('after', help)
  group
    .command('create')
    .description('make an admin key with a name and a role, and print it once')
    .argument('<name>', 'the name that the audit records')
    .addOption(roleOption('what the key may do').makeOptionMandatory())
    .option(...reasonOption)
    .action((name: string, options: Reason & { readonly role: string }) =>
      show({ post: '/admin_keys', body: { name, ...options } }, newAdminKeyReplySchema, describeNewKey),
    )
  group
    .command('list')
    .description('the admin keys with their names and roles')
    .action(() => show({ get: '/admin_keys' }, adminKeyListSchema, describeKeys))
  group
    .command('update')
    .description('rename an admin key, or give it another role')
    .argument(...keyArgument)
    .option('--name <name>', 'the name that the audit records')
    .addOption(roleOption('what the key may do'))
    .option(...reasonOption)
    .action((id: string, options: Reason & { readonly name?: string; readonly role?: string }) =>
      show(
        { post: pathOf(id), body: options },
        adminKeyReplySchema,
        ({ name, role }) => `Admin key ${id} is that of ${name}, ${role}.`,
      ),
    )
  for (const [verb, blocked, description, outcome] of blockings) {
    group
      .command(verb)
      .description(description)
      .argument(...keyArgument)
      .option(...reasonOption)
      .action((id: string, options: Reason) =>
        show(
          { post: pathOf(id), body: { blocked, ...options } },
          adminKeyReplySchema,
          ({ name }) => `The admin key of ${name} ${outcome}`,
        ),
      )
  }
  addAct(group, context, {
    verb: 'regenerate',
    description: 'give an admin key a new secret, and print it once; the old one stops working',
    argument: keyArgument,
    request: id => ({ post: `${pathOf(id)}/regenerate`, body: {} }),
    reply: newAdminKeyReplySchema,
    describe: describeNewKey,
  })
  addAct(group, context, {
    verb: 'delete',
    description: 'delete an admin key for good; its holder is signed out',
    argument: keyArgument,
    request: id => ({ delete: pathOf(id) }),
    reply: adminKeyReplySchema,
    describe: ({ name }) => `The admin key of ${name} is deleted.`,
  })
}

const blockings = [
  ['block', true, 'stop an admin key; its holder is signed out', 'does not work any more.'],
  ['unblock', false, 'let a blocked admin key work again', 'works again.'],
] as const

function pathOf(id: string): string {
  return `/admin_keys/${encodeURIComponent(id)}`
}

function describeNewKey({ key, key_id, name, role }: NewAdminKeyReply): string {
  return `Admin key of ${name} (${role}), shown this once:\n\n  ${key}\n\n${formatFields([['key id', key_id]])}`
}

function describeKeys({ items }: AdminKeyList): string {
  if (items.length === 0)
    return 'No named admin keys. Make one with "fairgate admin-key create NAME --role organiser".'
  return formatTable(
    ['KEY ID', 'KEY', 'NAME', 'ROLE', 'STATE', 'CREATED', 'BY'],
    items.map(({ key_id, key_name, name, role, blocked, created_at, created_by }) => [
      key_id,
      key_name,
      name,
      role,
      blocked ? 'blocked' : 'works',
      created_at,
      created_by,
    ]),
  )
}
