// `fairgate webhook …`: addresses outside that are told what needs an organiser.
import {
  newWebhookReplySchema,
  removedWebhookSchema,
  testedWebhookSchema,
  type WebhookList,
  webhookEventNames,
  webhookKinds,
  webhookListSchema,
} from '@fairgate/contracts/management/webhooks.ts'
import { type Command, Option } from 'commander'
import { reasonOption } from '../acts.ts'
import { addAct } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { CommandFailure } from '../command-failure.ts'
import { parseList } from '../options.ts'
import { absent, formatFields, formatTable } from '../output/format.ts'

const help = `
Events: ${webhookEventNames.join(', ')}.
Messages are signed, and tried again for eight hours. docs/operations.md says how a signature is checked.

Examples:
  $ fairgate webhook add https://hooks.example.org/fairgate --events budget_spent,upstream_out
  $ fairgate webhook add https://hooks.slack.com/services/… --kind slack
  $ fairgate webhook list
  $ fairgate webhook test wh_…
  $ fairgate webhook remove wh_…`

type AddOptions = { readonly kind?: string; readonly events?: readonly string[]; readonly reason?: string }

const webhookArgument = ['<webhook>', 'id of the webhook, as the list shows it'] as const

export function addWebhookCommands(program: Command, context: CommandContext): void {
  const { ask, print, show } = context
  const group = program
    .command('webhook')
    .description('addresses outside that are told what needs an organiser')
    .addHelpText('after', help)
  group
    .command('add')
    .description('add a webhook; its secret is shown once')
    .argument('<url>', 'an https address')
    .addOption(new Option('--kind <form>', 'form of the messages (default: json)').choices([...webhookKinds]))
    .option('--events <a,b>', 'what it is told (default: everything)', parseList)
    .option(...reasonOption)
    .action(async (url: string, options: AddOptions) => {
      await show({ post: '/webhooks', body: { url, ...options } }, newWebhookReplySchema, made =>
        formatFields([
          ['webhook', made.webhook_id],
          ['address', made.url],
          ['form', made.kind],
          ['events', made.events.join(', ')],
          ['secret', `${made.secret} (it is not shown again)`],
        ]),
      )
    })
  group
    .command('list')
    .description('the webhooks, and what they were told')
    .action(async () => {
      await show({ get: '/webhooks' }, webhookListSchema, describeList)
    })
  group
    .command('test')
    .description('send a webhook a message that says that it works')
    .argument(...webhookArgument)
    .action(async (id: string) => {
      const tested = await ask({ post: `${pathOf(id)}/test`, body: {} }, testedWebhookSchema)
      print(tested, ({ ok, status, took_ms, error }) =>
        ok ? `It took the message (${status}, ${took_ms} ms).` : `It did not take the message: ${error}.`,
      )
      if (!tested.ok) throw new CommandFailure(1, 'The webhook does not work yet.')
    })
  addAct(group, context, {
    verb: 'remove',
    description: 'remove a webhook, with what it has not been told yet',
    argument: webhookArgument,
    request: id => ({ delete: pathOf(id) }),
    reply: removedWebhookSchema,
    describe: ({ url }) => `${url} is told nothing any more.`,
  })
}

function pathOf(id: string): string {
  return `/webhooks/${encodeURIComponent(id)}`
}

function describeList({ items }: WebhookList): string {
  if (items.length === 0) return 'No webhooks. Add one with "fairgate webhook add URL".'
  return formatTable(
    ['WEBHOOK ID', 'ADDRESS', 'FORM', 'STATE', 'EVENTS', 'WAITING', 'SENT', 'GIVEN UP', 'LAST SENT'],
    items.map(({ webhook_id, url, kind, fault, events, waiting, sent, given_up, last_sent_at }) => [
      webhook_id,
      url,
      kind,
      fault === null ? 'on' : 'off: secret unreadable',
      events.length === webhookEventNames.length ? 'all' : events.join(','),
      String(waiting),
      String(sent),
      String(given_up),
      last_sent_at ?? absent,
    ]),
  )
}
