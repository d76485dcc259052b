// `fairgate webhook …`: addresses outside that are told what needs an organiser.
import {
  newWebhookReplySchema,
  removedWebhookSchema,
  testedWebhookSchema,
  webhookEventNames,
  webhookKinds,
  webhookListSchema,
} from '@fairgate/contracts/management/webhooks.ts'
import { type Command, Option } from 'commander'
import { reasonOption } from '../acts.ts'
import { addAct, addCommand, addRequest } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { CommandFailure } from '../command-failure.ts'
import { parseList } from '../options.ts'
import { formatFields, formatItems } from '../output/format.ts'

const help = `
Events: ${webhookEventNames.join(', ')}.
Messages are signed, and tried again for eight hours. docs/webhooks.md says how a signature is checked.

Examples:
  $ fairgate webhook add https://hooks.example.org/fairgate --events budget_spent,upstream_out
  $ fairgate webhook add https://hooks.slack.com/services/… --kind slack
  $ fairgate webhook list
  $ fairgate webhook test wh_…
  $ fairgate webhook remove wh_…`

const webhookArgument = ['<webhook>', 'id of the webhook, as the list shows it'] as const

export function addWebhookCommands(program: Command, context: CommandContext): void {
  const { ask, print } = context
  const group = program
    .command('webhook')
    .description('addresses outside that are told what needs an organiser')
    .addHelpText('after', help)
  addRequest(group, context, {
    verb: 'add',
    description: 'add a webhook; its secret is shown once',
    arguments: [['<url>', 'an https address']],
    options: [
      new Option('--kind <form>', 'form of the messages (default: json)').choices([...webhookKinds]),
      ['--events <a,b>', 'what it is told (default: everything)', parseList],
      reasonOption,
    ],
    request: (fields, url) => ({ post: '/webhooks', body: { url, ...fields } }),
    reply: newWebhookReplySchema,
    describe: made =>
      formatFields([
        ['webhook', made.webhook_id],
        ['address', made.url],
        ['form', made.kind],
        ['events', made.events.join(', ')],
        ['secret', `${made.secret} (it is not shown again)`],
      ]),
  })
  addRequest(group, context, {
    verb: 'list',
    description: 'the webhooks, and what they were told',
    request: () => ({ get: '/webhooks' }),
    reply: webhookListSchema,
    describe: ({ items }) =>
      formatItems(items, 'No webhooks. Add one with "fairgate webhook add URL".', {
        'WEBHOOK ID': 'webhook_id',
        ADDRESS: 'url',
        FORM: 'kind',
        STATE: webhook => (webhook.fault === null ? 'on' : 'off: secret unreadable'),
        EVENTS: ({ events }) => (events.length === webhookEventNames.length ? 'all' : events.join(',')),
        WAITING: 'waiting',
        SENT: 'sent',
        'GIVEN UP': 'given_up',
        'LAST SENT': 'last_sent_at',
      }),
  })
  addCommand(
    group,
    {
      verb: 'test',
      description: 'send a webhook a message that says that it works',
      arguments: [webhookArgument],
    },
    async (_, id) => {
      const tested = await ask({ post: `${pathOf(id)}/test`, body: {} }, testedWebhookSchema)
      print(tested, ({ ok, status, took_ms, error }) =>
        ok ? `It took the message (${status}, ${took_ms} ms).` : `It did not take the message: ${error}.`,
      )
      if (!tested.ok) throw new CommandFailure(1, 'The webhook does not work yet.')
    },
  )
  addAct(group, context, {
    verb: 'remove',
    description: 'remove a webhook, with what it has not been told yet',
    arguments: [webhookArgument],
    request: (_, id) => ({ delete: pathOf(id) }),
    reply: removedWebhookSchema,
    describe: ({ url }) => `${url} is told nothing any more.`,
  })
}

function pathOf(id: string): string {
  return `/webhooks/${encodeURIComponent(id)}`
}
