// Routes for webhooks: GET and POST /webhooks, DELETE /webhooks/{webhook_id}, POST /webhooks/{webhook_id}/test.
import {
  newWebhookBodySchema,
  newWebhookReplySchema,
  removedWebhookSchema,
  removeWebhookQuerySchema,
  testedWebhookSchema,
  testWebhookBodySchema,
  type WebhookList,
  webhookListSchema,
} from '@fairgate/contracts/management/webhooks.ts'
import {
  type AdminRoute,
  actionRoute,
  changeRoute,
  lookupRoute,
  type Management,
} from './management-route.ts'

const facts = { tag: 'Webhooks', openTo: 'organisers' } as const

export function webhookRoutes({ webhooks: service, moment, stamp }: Management): AdminRoute[] {
  return [
    lookupRoute({
      ...facts,
      path: '/webhooks',
      summary: 'List the webhooks and their deliveries',
      reply: webhookListSchema,
      errors: ['unavailable'],
      look: async (): Promise<WebhookList> => {
        const items = await service.list()
        return { items, next: null, total: { count: items.length }, ...moment() }
      },
    }),
    changeRoute({
      ...facts,
      path: '/webhooks',
      summary: 'Create a webhook that is sent what needs attention',
      description:
        'Messages are signed and retried for eight hours; each has an id, by which a receiver recognizes duplicates. Redirects are not followed.',
      body: newWebhookBodySchema,
      reply: newWebhookReplySchema,
      errors: ['conflict'],
      change: async (body, actor) => stamp(await service.add(body, actor)),
    }),
    changeRoute({
      ...facts,
      path: '/webhooks/:webhook_id/test',
      summary: 'Send a test message to a webhook',
      body: testWebhookBodySchema,
      reply: testedWebhookSchema,
      errors: ['webhook_not_found'],
      // A receiver may take ten seconds.
      keepsOpen: true,
      change: async (_body, _actor, { webhook_id: id = '' }) => stamp(await service.test(id)),
    }),
    actionRoute(moment, {
      ...facts,
      path: '/webhooks/:webhook_id',
      summary: 'Remove a webhook and its undelivered messages',
      query: removeWebhookQuerySchema,
      reply: removedWebhookSchema,
      errors: ['webhook_not_found'],
      action: (query, actor, { webhook_id: id = '' }) => service.remove(id, query, actor),
      describe: stamp,
    }),
  ]
}
