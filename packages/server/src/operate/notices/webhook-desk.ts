// Webhooks as organisers manage them: made with a secret that is shown once, listed, tried, removed; each change is audited.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { ActBody } from '@fairgate/contracts/management/planned-act.ts'
import {
  type NewWebhookBody,
  type TestedWebhook,
  type WebhookEventName,
  type WebhookKind,
  webhookEventNames,
  webhookKinds,
} from '@fairgate/contracts/management/webhooks.ts'
import { toAuditRow } from '../../directory/audit.ts'
import { type ActResult, carryOutPlan, planChange } from '../../directory/planned-act.ts'
import type { WebhookRow } from '../../store/statements/webhooks.ts'
import type { Store } from '../../store/store.ts'
import type { SecretSeal } from './secret-seal.ts'
import { checkUrl, type SendDependencies, type SendOutcome, sendMessage } from './send-message.ts'
import { signMessage, type WebhookEvent, writeMessage } from './webhook-event.ts'

export type DeliverDependencies = SendDependencies & { readonly seal: SecretSeal }

export type WebhookDeskDependencies = DeliverDependencies & {
  readonly read: Pick<Store['read'], 'listWebhooks' | 'sumDeliveries'>
  readonly write: Pick<Store['write'], 'insertWebhook' | 'deleteWebhook'>
  /** Unix ms. */
  readonly clock: () => number
  readonly randomBytes: (size: number) => Buffer
  readonly newId: () => string
}

export type Webhook = {
  readonly webhookId: string
  readonly url: string
  readonly kind: WebhookKind
  readonly events: readonly WebhookEventName[]
  readonly createdAt: number
  readonly createdBy: string
}

export type WebhookState = {
  /** Null while it is on. `secret_unreadable`: it was added under another join key, and nothing is sent to it. */
  readonly fault: 'secret_unreadable' | null

  readonly waiting: number
  readonly sent: number
  readonly givenUp: number
  readonly lastSentAt: number | null
}

const mostWebhooks = 20

export class WebhookDesk {
  readonly #dependencies: WebhookDeskDependencies

  constructor(dependencies: WebhookDeskDependencies) {
    this.#dependencies = dependencies
  }

  /** In the order of their creation. */
  async list(): Promise<readonly (Webhook & WebhookState)[]> {
    const { read, seal } = this.#dependencies
    const [rows, sums] = await Promise.all([read.listWebhooks(null), read.sumDeliveries(null)])
    return rows.map(row => {
      const find = (state: string) =>
        sums.find(sum => sum.webhookId === row.webhook_id && sum.state === state) ?? null
      return {
        ...readWebhook(row),
        fault: isReadable(seal, row) ? null : 'secret_unreadable',
        waiting: find('waiting')?.count ?? 0,
        sent: find('sent')?.count ?? 0,
        givenUp: find('given_up')?.count ?? 0,
        lastSentAt: find('sent')?.lastEndedAt ?? null,
      }
    })
  }

  /** Webhooks that are off because their secrets cannot be opened. */
  async countUnreadable(): Promise<number> {
    const { read, seal } = this.#dependencies
    return (await read.listWebhooks(null)).filter(row => !isReadable(seal, row)).length
  }

  /** Throws ApiError `invalid_request`, and `conflict` (409) where there are too many already. */
  async add(body: NewWebhookBody, actor: string): Promise<Webhook & { readonly secret: string }> {
    const { read, write, clock, randomBytes, newId, seal, allowsPrivate } = this.#dependencies
    const url = checkUrl('url', body.url, allowsPrivate)
    const known = await read.listWebhooks(null)
    if (known.length >= mostWebhooks)
      throw new ApiError('conflict', {
        message: `There are ${known.length} webhooks already. Remove one first.`,
      })
    const now = clock()
    const { events = 'all', kind = 'json' } = body
    const webhookId = `wh_${newId()}`
    const secret = `whsec_${randomBytes(32).toString('hex')}`
    const row: WebhookRow = {
      webhook_id: webhookId,
      url,
      kind,
      events: JSON.stringify(events === 'all' ? webhookEventNames : [...new Set(events)]),
      secret: seal.seal(webhookId, secret),
      created_at: now,
      created_by: actor,
    }
    const webhook = readWebhook(row)
    await write.insertWebhook({
      webhook: row,
      audit: audit('webhook.add', actor, webhook, { before: null, after: state(webhook) }, body.reason, now),
    })
    return { ...webhook, secret }
  }

  /** Throws ApiError `webhook_not_found`. */
  async remove(webhookId: string, act: ActBody, actor: string): Promise<ActResult<Webhook>> {
    const webhook = readWebhook(await this.#find(webhookId))
    const changes = planChange('webhook.url', webhookId, hidePath(webhook.url), null)
    return await carryOutPlan({ changes, warnings: [], basis: [] }, act, async () => {
      const states = { before: state(webhook), after: null }
      const isRemoved = await this.#dependencies.write.deleteWebhook({
        webhookId,
        audit: audit('webhook.remove', actor, webhook, states, act.reason, this.#dependencies.clock()),
      })
      if (!isRemoved) throw new ApiError('webhook_not_found', { param: 'webhook_id' })
      return webhook
    })
  }

  /** Sends a message that says so, once. Throws ApiError `webhook_not_found`. */
  async test(
    webhookId: string,
  ): Promise<Pick<TestedWebhook, 'ok' | 'status' | 'error'> & { tookMs: number }> {
    const { clock, newId } = this.#dependencies
    const row = await this.#find(webhookId)
    const event: WebhookEvent = {
      event: 'test',
      severity: 'info',
      at: new Date(clock()).toISOString(),
      subjects: [],
      text: 'Fairgate can reach this webhook.',
      action: null,
    }
    const began = clock()
    const { status, error } = await deliver(this.#dependencies, row, `test:${newId()}`, event, clock())
    return { ok: error === null, status, error, tookMs: clock() - began }
  }

  async #find(webhookId: string): Promise<WebhookRow> {
    const row = (await this.#dependencies.read.listWebhooks(null)).find(
      ({ webhook_id }) => webhook_id === webhookId,
    )
    if (row === undefined) throw new ApiError('webhook_not_found', { param: 'webhook_id' })
    return row
  }
}

const unreadableSecret = 'its secret was encrypted with another join key: remove the webhook and add it again'

export function isReadable(seal: SecretSeal, { webhook_id, secret }: WebhookRow): boolean {
  return seal.open(webhook_id, secret) !== null
}

/** Signed again at each try: the time of a signature says how old a message may be. Sends nothing unsigned. Never rejects. */
export async function deliver(
  dependencies: DeliverDependencies,
  { webhook_id, url, kind, secret: sealed }: Pick<WebhookRow, 'webhook_id' | 'url' | 'kind' | 'secret'>,
  eventId: string,
  event: WebhookEvent,
  now: number,
): Promise<SendOutcome> {
  const secret = dependencies.seal.open(webhook_id, sealed)
  if (secret === null) return { status: null, error: unreadableSecret }
  const body = writeMessage(readKind(kind), eventId, event)
  const seconds = Math.floor(now / 1000)
  return await sendMessage(dependencies, {
    url,
    body,
    headers: {
      'user-agent': 'fairgate',
      'x-fairgate-event': event.event,
      'x-fairgate-event-id': encodeURI(eventId),
      'x-fairgate-timestamp': String(seconds),
      'x-fairgate-signature': signMessage(secret, seconds, body),
    },
  })
}

/** The path of a hook is often all that protects it. */
export function hidePath(url: string): string {
  const { origin, pathname, search } = new URL(url)
  const rest = `${pathname}${search}`
  return rest.length <= 1 ? origin : `${origin}/…${rest.length > 12 ? rest.slice(-4) : ''}`
}

function readWebhook(row: WebhookRow): Webhook {
  const events: readonly unknown[] = JSON.parse(row.events)
  return {
    webhookId: row.webhook_id,
    url: row.url,
    kind: readKind(row.kind),
    events: webhookEventNames.filter(name => events.includes(name)),
    createdAt: row.created_at,
    createdBy: row.created_by,
  }
}

function readKind(text: string): WebhookKind {
  return webhookKinds.find(kind => kind === text) ?? 'json'
}

function state({ url, kind, events }: Webhook): object {
  return { url: hidePath(url), kind, events }
}

function audit(
  action: string,
  actor: string,
  { webhookId }: Webhook,
  states: { readonly before: object | null; readonly after: object | null },
  reason: string | null | undefined,
  now: number,
) {
  return toAuditRow({ now, actor, reason }, { action, target: webhookId, ...states })
}
