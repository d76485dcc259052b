// GET and POST /webhooks, DELETE /webhooks/{webhook_id}, POST /webhooks/{webhook_id}/test.

import { isoTime } from '@fairgate/contracts/iso-time.ts'
import {
  type NewWebhookReply,
  newWebhookBodySchema,
  newWebhookReplySchema,
  type RemovedWebhook,
  removedWebhookSchema,
  removeWebhookQuerySchema,
  type TestedWebhook,
  testedWebhookSchema,
  testWebhookBodySchema,
  type WebhookList,
  webhookListSchema,
} from '@fairgate/contracts/management/webhooks.ts'
import type { Directory } from '../directory/create-directory.ts'
import { hidePath, type Webhook, type WebhookDesk } from '../operate/notices/webhook-desk.ts'
import { type AdminRoute, defineAdminRoute } from './admin-route.ts'
import type { AdminCaller } from './authenticate-admin.ts'
import { answerAct, orPreview, previewText } from './describe-preview.ts'
import { answer, changeRoute, lookupRoute } from './management-route.ts'

const tag = 'Webhooks'
const pathExamples = { webhook_id: 'wh_1' }

export type WebhooksDependencies = {
  readonly desk: Pick<WebhookDesk, 'list' | 'add' | 'remove' | 'test'>
  readonly directory: Pick<Directory, 'version'>
  /** Unix ms. */
  readonly clock: () => number
}

export function webhookRoutes({ desk, directory, clock }: WebhooksDependencies): AdminRoute[] {
  const moment = () => ({ as_of: isoTime(clock()), version: directory.version() })
  return [
    lookupRoute({
      tag,
      openTo: 'organisers',
      path: '/webhooks',
      summary: 'The webhooks, and what they were told',
      reply: webhookListSchema,
      errors: ['unavailable'],
      look: async (): Promise<WebhookList> => {
        const items = (await desk.list()).map(
          ({ fault, waiting, sent, givenUp, lastSentAt, ...webhook }) => ({
            ...describe(webhook),
            fault,
            waiting,
            sent,
            given_up: givenUp,
            last_sent_at: isoTime(lastSentAt),
          }),
        )
        return { items, next: null, total: { count: items.length }, ...moment() }
      },
    }),
    changeRoute({
      tag,
      openTo: 'organisers',
      path: '/webhooks',
      summary: 'Tell an address outside what needs an organiser',
      description:
        'Messages are signed and tried again for eight hours; each has an id, by which a receiver knows one that comes twice. Redirects are not followed.',
      body: newWebhookBodySchema,
      reply: newWebhookReplySchema,
      errors: ['conflict'],
      change: async (body, actor): Promise<NewWebhookReply> => {
        const { secret, ...webhook } = await desk.add(body, actor)
        return { ...describe(webhook), secret, ...moment() }
      },
    }),
    defineAdminRoute({
      method: 'POST',
      tag,
      openTo: 'organisers',
      path: '/webhooks/:webhook_id/test',
      pathExamples,
      summary: 'Send a webhook a message that says that it works',
      body: testWebhookBodySchema,
      replies: { 200: testedWebhookSchema },
      errors: ['admin_unauthorized', 'invalid_request', 'invalid_json', 'webhook_not_found', 'unavailable'],
      handle: async (_caller: AdminCaller, call) => {
        // A receiver may take ten seconds.
        call.keepOpen()
        const { webhook_id: id = '' } = call.params
        const { tookMs, ...outcome } = await desk.test(id)
        const tested: TestedWebhook = { webhook_id: id, ...outcome, took_ms: tookMs, ...moment() }
        return answer(tested)
      },
    }),
    defineAdminRoute({
      method: 'DELETE',
      tag,
      openTo: 'organisers',
      path: '/webhooks/:webhook_id',
      pathExamples,
      summary: 'Remove a webhook, with what it has not been told yet',
      description: previewText,
      query: removeWebhookQuerySchema,
      replies: { 200: orPreview(removedWebhookSchema) },
      errors: [
        'admin_unauthorized',
        'invalid_request',
        'webhook_not_found',
        'preview_outdated',
        'unavailable',
      ],
      handle: async ({ actor }: AdminCaller, { params: { webhook_id: id = '' }, query }) =>
        answer(
          await answerAct(
            desk.remove(id, query, actor),
            moment,
            (removed): RemovedWebhook => ({ ...describe(removed), ...moment() }),
          ),
        ),
    }),
  ]
}

function describe({ webhookId, url, kind, events, createdAt, createdBy }: Webhook) {
  return {
    webhook_id: webhookId,
    url: hidePath(url),
    kind,
    events: [...events],
    created_at: isoTime(createdAt),
    created_by: createdBy,
  }
}
