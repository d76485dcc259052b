// Lets organisers manage webhooks: create them with a secret that is shown once, list, test and remove them. Each change is audited.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { ActionBody } from '@fairgate/contracts/management/planned-action.ts'
import {
  type NewWebhookBody,
  type RemovedWebhook,
  type TestedWebhook,
  type WebhookKind,
  type WebhookList,
  webhookEventNames,
  webhookKinds,
} from '@fairgate/contracts/management/webhooks.ts'
import { toAuditRow } from '../../directory/audit.ts'
import { type ActionResult, carryOutPlan, planChange } from '../../directory/planned-action.ts'
import type { WebhookRow } from '../../store/statements/webhooks.ts'
import type { Store } from '../../store/store.ts'
import type { World } from '../../world/world.ts'
import type { SecretSeal } from './secret-seal.ts'
import { checkUrl, type SendDependencies, type SendOutcome, sendMessage } from './send-message.ts'
import { signMessage, type WebhookEvent, writeMessage } from './webhook-event.ts'

export type DeliverDependencies = SendDependencies & { readonly seal: SecretSeal }

export type WebhookServiceDependencies = DeliverDependencies &
  Pick<World, 'clock' | 'randomBytes' | 'newId'> & {
    readonly read: Pick<Store['read'], 'listWebhooks' | 'sumDeliveries'>
    readonly write: Pick<Store['write'], 'insertWebhook' | 'deleteWebhook'>
  }

/** As clients see it, without its secret, `as_of` and `version`. */
type Webhook = Omit<RemovedWebhook, 'as_of' | 'version'>

const maxWebhooks = 20

export class WebhookService {
  readonly #dependencies: WebhookServiceDependencies

  constructor(dependencies: WebhookServiceDependencies) {
    this.#dependencies = dependencies
  }

  /** In order of creation. */
  async list(): Promise<WebhookList['items']> {
    const { read, seal } = this.#dependencies
    const [rows, sums] = await Promise.all([read.listWebhooks(null), read.sumDeliveries(null)])
    return rows.map(row => {
      const find = (state: string) =>
        sums.find(sum => sum.webhookId === row.webhook_id && sum.state === state) ?? null
      return {
        ...describe(row),
        fault: isReadable(seal, row) ? null : 'secret_unreadable',
        waiting: find('waiting')?.count ?? 0,
        sent: find('sent')?.count ?? 0,
        given_up: find('given_up')?.count ?? 0,
        last_sent_at: isoTime(find('sent')?.lastEndedAt ?? null),
      }
    })
  }

  /** Webhooks that are off because their secrets cannot be decrypted. */
  async countUnreadable(): Promise<number> {
    const { read, seal } = this.#dependencies
    return (await read.listWebhooks(null)).filter(row => !isReadable(seal, row)).length
  }

  /** Throws ApiError `invalid_request`, and `conflict` (409) if there are too many already. */
  async add(body: NewWebhookBody, actor: string): Promise<Webhook & { readonly secret: string }> {
    const { read, write, clock, randomBytes, newId, seal, allowsPrivate } = this.#dependencies
    const url = checkUrl('url', body.url, allowsPrivate)
    const known = await read.listWebhooks(null)
    if (known.length >= maxWebhooks)
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
    const webhook = describe(row)
    await write.insertWebhook({
      webhook: row,
      audit: toAuditRow(
        { now, actor, reason: body.reason },
        { action: 'webhook.add', target: webhookId, before: null, after: state(webhook) },
      ),
    })
    return { ...webhook, secret }
  }

  /** Throws ApiError `webhook_not_found`. */
  async remove(webhookId: string, request: ActionBody, actor: string): Promise<ActionResult<Webhook>> {
    const webhook = describe(await this.#find(webhookId))
    const changes = planChange('webhook.url', webhookId, webhook.url, null)
    return await carryOutPlan({ changes }, request, async () => {
      const isRemoved = await this.#dependencies.write.deleteWebhook({
        id: webhookId,
        audit: toAuditRow(
          { now: this.#dependencies.clock(), actor, reason: request.reason },
          { action: 'webhook.remove', target: webhookId, before: state(webhook), after: null },
        ),
      })
      if (!isRemoved) throw new ApiError('webhook_not_found', { param: 'webhook_id' })
      return webhook
    })
  }

  /** Sends one test message. Throws ApiError `webhook_not_found`. */
  async test(webhookId: string): Promise<Omit<TestedWebhook, 'as_of' | 'version'>> {
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
    return { webhook_id: webhookId, ok: error === null, status, error, took_ms: clock() - began }
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

/** Signed again at each attempt, because a signature's time limits how old a message may be. Sends nothing unsigned. Never rejects. */
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

/** A hook's path is often its only protection. */
function hidePath(url: string): string {
  const { origin, pathname, search } = new URL(url)
  const rest = `${pathname}${search}`
  return rest.length <= 1 ? origin : `${origin}/…${rest.length > 12 ? rest.slice(-4) : ''}`
}

function describe(row: WebhookRow): Webhook {
  const events: readonly unknown[] = JSON.parse(row.events)
  return {
    webhook_id: row.webhook_id,
    url: hidePath(row.url),
    kind: readKind(row.kind),
    events: webhookEventNames.filter(name => events.includes(name)),
    created_at: isoTime(row.created_at),
    created_by: row.created_by,
  }
}

function readKind(text: string): WebhookKind {
  return webhookKinds.find(kind => kind === text) ?? 'json'
}

function state({ url, kind, events }: Webhook): object {
  return { url, kind, events }
}
