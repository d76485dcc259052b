// Webhooks on disk, the conditions that were already announced, and the deliveries that keep a crash from losing an event.
import { type Kysely, type Selectable, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'
import type { WebhookDeliveriesTable, WebhooksTable } from '../schema/notices.ts'
import type { Schema } from '../schema/schema.ts'
import { type AuditEntry, appendAudit, deleteAudited } from './audit.ts'

export type WebhookRow = Selectable<WebhooksTable>
export type DeliveryRow = Selectable<WebhookDeliveriesTable>

/** A receiver that is unavailable for days must not fill the disk: beyond this, more events for it are dropped. */
const maxWaiting = 1000

export async function insertWebhook(
  db: Kysely<Schema>,
  { webhook, audit }: { readonly webhook: WebhookRow; readonly audit: AuditEntry },
): Promise<void> {
  await db.insertInto('webhooks').values(webhook).execute()
  await appendAudit(db, [audit])
}

/** With its deliveries. False if it no longer exists; nothing is written then. */
export async function deleteWebhook(
  db: Kysely<Schema>,
  input: { readonly id: string; readonly audit: AuditEntry },
): Promise<boolean> {
  if (!(await deleteAudited('webhooks', 'webhook_id')(db, input))) return false
  await db.deleteFrom('webhook_deliveries').where('webhook_id', '=', input.id).execute()
  return true
}

/** `select * from webhooks order by created_at, webhook_id` */
export async function listWebhooks(db: Kysely<Schema>, _input: null): Promise<WebhookRow[]> {
  return await db.selectFrom('webhooks').selectAll().orderBy('created_at').orderBy('webhook_id').execute()
}

export type DeliverySum = {
  readonly webhookId: string
  readonly state: string
  readonly count: number
  /** Unix ms; null if none has ended. */
  readonly lastEndedAt: number | null
}

/** `select webhook_id, state, count(*), max(ended_at) … group by webhook_id, state` */
export async function sumDeliveries(db: Kysely<Schema>, _input: null): Promise<DeliverySum[]> {
  return await db
    .selectFrom('webhook_deliveries')
    .select(({ fn }) => [
      'webhook_id as webhookId',
      'state',
      fn.countAll<number>().as('count'),
      fn.max('ended_at').as('lastEndedAt'),
    ])
    .groupBy(['webhook_id', 'state'])
    .execute()
}

export type Occurrence = {
  readonly conditionId: string
  readonly kind: string
  /** True: never sent twice. False: sent again if it returns after it has ended. */
  readonly isOnce: boolean
  /** JSON, without the id. */
  readonly event: string
  /** JSON, without the id: the event to send when it ends, to webhooks that want `condition_ended` as well as its kind; null: none. */
  readonly ended: { readonly kind: string; readonly event: string } | null
}

export type NoteInput = {
  readonly occurrences: readonly Occurrence[]
  /** Unix ms. */
  readonly now: number
  /** Conditions that no process has seen since then have ended. */
  readonly goneBefore: number
}

/**
 * Notes the current conditions, and writes a delivery for each webhook that receives news of them. Multiple processes see the same: the row
 * of the condition is new for only one of them, and they come one after another: rows are locked and created in the order of their ids.
 * Returns how many deliveries were dropped because too many wait.
 */
export async function noteConditions(
  db: Kysely<Schema>,
  { occurrences, now, goneBefore }: NoteInput,
): Promise<number> {
  const inOrder = occurrences.toSorted((one, other) => (one.conditionId < other.conditionId ? -1 : 1))
  const ids = inOrder.map(({ conditionId }) => conditionId)
  if (dialectOf(db) === 'postgres')
    await sql`select condition_id from noted_conditions order by condition_id for update`.execute(db)
  const gone = await db
    .deleteFrom('noted_conditions')
    .where('seen_at', '<', goneBefore)
    .returning(['condition_id', 'seen_at', 'ended'])
    .execute()
  const known = new Set<string>()
  if (ids.length > 0) {
    const rows = await db
      .updateTable('noted_conditions')
      .set({ seen_at: now })
      .where('condition_id', 'in', ids)
      .returning('condition_id')
      .execute()
    for (const { condition_id } of rows) known.add(condition_id)
  }
  const fresh: Occurrence[] = []
  for (const occurrence of inOrder.filter(({ conditionId }) => !known.has(conditionId))) {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('noted_conditions')
      .values({ condition_id: occurrence.conditionId, since: now, seen_at: now, ended: writeEnd(occurrence) })
      .onConflict(conflict => conflict.column('condition_id').doNothing())
      .executeTakeFirstOrThrow()
    if (numInsertedOrUpdatedRows !== 0n) fresh.push(occurrence)
  }
  const reported = [
    ...gone.flatMap(({ condition_id, seen_at, ended }) => readEnd(condition_id, seen_at, ended)),
    ...fresh.map(occurrence => ({ ...occurrence, kinds: [occurrence.kind] })),
  ]
  return reported.length === 0 ? 0 : await insertDeliveries(db, reported, now)
}

/** Events for webhooks that want all of `kinds`. */
type Reported = Pick<Occurrence, 'conditionId' | 'isOnce' | 'event'> & { readonly kinds: readonly string[] }

function writeEnd({ kind, ended }: Occurrence): string | null {
  return ended === null ? null : JSON.stringify({ kinds: [kind, ended.kind], event: JSON.parse(ended.event) })
}

/** The row was deleted in this transaction, so that no other process announces its end. `seenAt`: when the condition was last seen. */
function readEnd(conditionId: string, seenAt: number, ended: string | null): Reported[] {
  if (ended === null) return []
  const { kinds, event } = JSON.parse(ended)
  const at = new Date(seenAt).toISOString()
  return [
    { conditionId: `${conditionId}:ended`, isOnce: false, kinds, event: JSON.stringify({ ...event, at }) },
  ]
}

async function insertDeliveries(
  db: Kysely<Schema>,
  occurrences: readonly Reported[],
  now: number,
): Promise<number> {
  let dropped = 0
  for (const webhook of await listWebhooks(db, null)) {
    const reported: readonly unknown[] = JSON.parse(webhook.events)
    const { waiting } = await db
      .selectFrom('webhook_deliveries')
      .select(({ fn }) => fn.countAll<number>().as('waiting'))
      .where('webhook_id', '=', webhook.webhook_id)
      .where('state', '=', 'waiting')
      .executeTakeFirstOrThrow()
    let room = maxWaiting - waiting
    for (const { conditionId, kinds, isOnce, event } of occurrences) {
      if (!kinds.every(kind => reported.includes(kind))) continue
      if (room <= 0) {
        dropped += 1
        continue
      }
      room -= 1
      await db
        .insertInto('webhook_deliveries')
        .values({
          webhook_id: webhook.webhook_id,
          event_id: isOnce ? conditionId : `${conditionId}@${now}`,
          event,
          state: 'waiting',
          attempts: 0,
          due_at: now,
          last_error: null,
          created_at: now,
          ended_at: null,
        })
        .onConflict(conflict => conflict.columns(['webhook_id', 'event_id']).doNothing())
        .execute()
    }
  }
  return dropped
}

export type ClaimDeliveriesInput = {
  /** Unix ms. */
  readonly now: number
  /** From then on another process may try a delivery again, for example if this one has died. */
  readonly leasedUntil: number
  readonly limit: number
}

/** Takes deliveries that are due, oldest first. If two processes want the same one, one gets it: the other finds another `due_at`. */
export async function claimDeliveries(
  db: Kysely<Schema>,
  { now, leasedUntil, limit }: ClaimDeliveriesInput,
): Promise<DeliveryRow[]> {
  const due = await db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('state', '=', 'waiting')
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('event_id')
    .limit(limit)
    .execute()
  const claimed: DeliveryRow[] = []
  for (const delivery of due) {
    const { numUpdatedRows } = await db
      .updateTable('webhook_deliveries')
      .set({ due_at: leasedUntil, attempts: delivery.attempts + 1 })
      .where('webhook_id', '=', delivery.webhook_id)
      .where('event_id', '=', delivery.event_id)
      .where('state', '=', 'waiting')
      .where('due_at', '=', delivery.due_at)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows > 0n) claimed.push({ ...delivery, attempts: delivery.attempts + 1 })
  }
  return claimed
}

export type EndDeliveryInput = {
  readonly webhookId: string
  readonly eventId: string
  readonly attempts: number
  /** When it is tried again (Unix ms), or its final state. */
  readonly outcome:
    | { readonly kind: 'again'; readonly at: number }
    | { readonly kind: 'sent' | 'given_up'; readonly at: number }
  readonly error: string | null
}

/** Does nothing if another process has taken the delivery since: `attempts` shows that. */
export async function endDelivery(
  db: Kysely<Schema>,
  { webhookId, eventId, attempts, outcome, error }: EndDeliveryInput,
): Promise<void> {
  const { kind, at } = outcome
  await db
    .updateTable('webhook_deliveries')
    .set(kind === 'again' ? { due_at: at } : { state: kind, ended_at: at })
    .set({ last_error: error })
    .where('webhook_id', '=', webhookId)
    .where('event_id', '=', eventId)
    .where('attempts', '=', attempts)
    .execute()
}

/** `delete from webhook_deliveries where ended_at < ?` */
export async function deleteOldDeliveries(
  db: Kysely<Schema>,
  { before }: { readonly before: number },
): Promise<void> {
  await db.deleteFrom('webhook_deliveries').where('ended_at', '<', before).execute()
}
