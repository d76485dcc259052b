// Finds news for webhooks and delivers it: written to the database first, sent by one of all processes, retried for eight hours.
import type { Event } from '../../directory/event/event.ts'
import type { Condition } from '../../insight/attention/condition.ts'
import type { DeliveryRow, EndDeliveryInput, WebhookRow } from '../../store/statements/webhooks.ts'
import type { Store } from '../../store/store.ts'
import type { World } from '../../world/world.ts'
import { describeCondition, describePhase, readEvent, type WebhookEvent } from './webhook-event.ts'
import { type DeliverDependencies, deliver, isReadable } from './webhook-service.ts'

export type WebhookSenderDependencies = DeliverDependencies &
  Pick<World, 'clock' | 'every'> & {
    /** Conditions that need an organiser now. Never rejects. */
    readonly conditions: () => Promise<readonly Condition[]>
    readonly event: () => Event
    readonly read: Pick<Store['read'], 'listWebhooks'>
    readonly write: Pick<
      Store['write'],
      'noteConditions' | 'claimDeliveries' | 'endDelivery' | 'deleteOldDeliveries'
    >
    readonly reportFailure: (error: unknown) => void
    /** Number of events that were dropped because the receiver already has the max number waiting. */
    readonly reportDropped: (count: number) => void
  }

const lookMs = 10_000
/** An ongoing condition is noted again this often, and has ended if no process has seen it for four times as long. */
const noteMs = 30_000
const goneMs = 4 * noteMs
/** Longer than an attempt may take: after that its process is presumed dead. */
const leaseMs = 30_000
const maxAtOnce = 10
/** Delays between attempts. After the last one the event is given up; together about eight hours. */
const pausesMs = [10, 30, 120, 600, 1800, 3600, 7200, 14_400].map(seconds => seconds * 1000)
const keptMs = 30 * 24 * 3_600_000
const tidyMs = 3_600_000
/** For a database failure, which could not be written down, two processes generate the same id in most cases. */
const outageMs = 600_000

export class WebhookSender {
  readonly #dependencies: WebhookSenderDependencies
  readonly #stopping = new AbortController()
  readonly #stopTimer: () => void
  #looking: Promise<void> | null = null
  /** As of the last read: they are notified of a database outage during the outage. */
  #webhooks: readonly WebhookRow[] = []
  #noted = { ids: '', at: Number.NEGATIVE_INFINITY }
  #tidiedAt = Number.NEGATIVE_INFINITY
  #isOutageReported = false

  constructor(dependencies: WebhookSenderDependencies) {
    this.#dependencies = dependencies
    this.#stopTimer = dependencies.every(lookMs, () => void this.look())
  }

  /** One check at a time: a call during a check returns that one. Never rejects. */
  readonly look = (): Promise<void> => {
    this.#looking ??= this.#look()
      .catch(error => {
        if (!this.#stopping.signal.aborted) this.#dependencies.reportFailure(error)
      })
      .finally(() => {
        this.#looking = null
      })
    return this.#looking
  }

  /** Deliveries in progress are aborted. They are in the database, and the next start or another process sends them. */
  readonly stop = async (): Promise<void> => {
    this.#stopTimer()
    this.#stopping.abort()
    await this.#looking
  }

  async #look(): Promise<void> {
    const { read, conditions } = this.#dependencies
    let failure: unknown = null
    try {
      this.#webhooks = await read.listWebhooks(null)
    } catch (error) {
      failure = error
    }
    if (this.#webhooks.length === 0) return
    const found = await conditions()
    if (failure === null) {
      try {
        await this.#note(found)
        await this.#sendDue()
      } catch (error) {
        failure = error
      }
    }
    await this.#reportOutage(found, failure)
    if (failure !== null) throw failure
  }

  async #note(found: readonly Condition[]): Promise<void> {
    const { event, write, clock, reportDropped } = this.#dependencies
    const now = clock()
    const phase = describePhase(event(), now)
    const occurrences = [...found.map(describeCondition), ...(phase === null ? [] : [phase])]
    const ids = occurrences.map(({ conditionId }) => conditionId).join('\n')
    // Also with nothing to note: an ended condition is announced, whichever process saw it last.
    const isDue = now - this.#noted.at >= noteMs
    if (ids === this.#noted.ids && !isDue) return
    const dropped = await write.noteConditions({ occurrences, now, goneBefore: now - goneMs })
    this.#noted = { ids, at: now }
    if (dropped > 0) reportDropped(dropped)
  }

  async #sendDue(): Promise<void> {
    const { write, clock } = this.#dependencies
    const began = clock()
    // Receivers that do not answer must not delay new events: they get more turns with the next checks.
    while (!this.#stopping.signal.aborted && clock() - began < lookMs) {
      const now = clock()
      const claimed = await write.claimDeliveries({ now, leasedUntil: now + leaseMs, limit: maxAtOnce })
      await Promise.all(claimed.map(delivery => this.#send(delivery)))
      if (claimed.length < maxAtOnce) break
    }
    if (clock() - this.#tidiedAt < tidyMs) return
    this.#tidiedAt = clock()
    await write.deleteOldDeliveries({ before: clock() - keptMs })
  }

  async #send(delivery: DeliveryRow): Promise<void> {
    const { write, clock, seal } = this.#dependencies
    const { webhook_id: webhookId, event_id: eventId, attempts } = delivery
    const webhook = this.#webhooks.find(row => row.webhook_id === webhookId)
    // It was added after the check began: the lease ends, and the next check finds it.
    if (webhook === undefined) return
    const { error } = await this.#deliver(webhook, eventId, readEvent(delivery.event))
    const judged = isReadable(seal, webhook)
      ? judge(error, attempts, clock())
      : ({ kind: 'given_up', at: clock() } as const)
    const outcome = this.#stopping.signal.aborted ? ({ kind: 'again', at: clock() } as const) : judged
    await write.endDelivery({ webhookId, eventId, attempts, outcome, error })
  }

  #deliver(webhook: WebhookRow, eventId: string, event: WebhookEvent) {
    const { clock } = this.#dependencies
    return deliver(
      { ...this.#dependencies, stopping: this.#stopping.signal },
      webhook,
      eventId,
      event,
      clock(),
    )
  }

  /** An event that cannot be written down is sent once from memory: better twice, by two processes, than not at all. */
  async #reportOutage(found: readonly Condition[], failure: unknown): Promise<void> {
    const outage = found.find(({ kind }) => kind === 'ledger_retrying')
    if (outage === undefined) {
      this.#isOutageReported = false
      return
    }
    if (failure === null || this.#isOutageReported) return
    this.#isOutageReported = true
    const { conditionId, event } = describeCondition(outage)
    const eventId = `${conditionId}@${Math.floor(outage.since / outageMs) * outageMs}`
    const reported = this.#webhooks.filter(({ events }) => events.includes('"ledger_retrying"'))
    await Promise.all(reported.map(webhook => this.#deliver(webhook, eventId, readEvent(event))))
  }
}

/** `attempts`: how often it has been tried so far. */
export function judge(error: string | null, attempts: number, now: number): EndDeliveryInput['outcome'] {
  if (error === null) return { kind: 'sent', at: now }
  const pause = pausesMs[attempts - 1]
  return pause === undefined ? { kind: 'given_up', at: now } : { kind: 'again', at: now + pause }
}
