// Conditions and deliveries on every engine: processes that see the same conditions write one delivery, and one of them takes it.
import { expect, test } from 'bun:test'
import type { Current } from './store-actions.ts'

export function describeWebhooks(current: Current): void {
  const occurrences = Array.from({ length: 20 }, (_, index) => ({
    conditionId: `condition ${index}`,
    kind: 'recorder_silent',
    isOnce: false,
    event: '{}',
    ended: { kind: 'condition_ended', event: '{}' },
  }))

  test('several processes note the same conditions at once, in any order: each is delivered once, by one of them', async () => {
    const { write, read } = current()
    const audit = {
      at: 1,
      actor: 'ada',
      action: 'webhook.add',
      team_id: '',
      target: 'wh_1',
      before: null,
      after: null,
    }
    const webhook = {
      webhook_id: 'wh_1',
      url: 'https://hooks.example/',
      kind: 'json',
      events: '["recorder_silent"]',
      secret: 'whsec_1',
      created_at: 1,
      created_by: 'ada',
    }
    await write.insertWebhook({ webhook, audit })
    const orders = [
      occurrences,
      occurrences.toReversed(),
      occurrences.toSorted(() => 1),
      occurrences.slice(5),
    ]
    await Promise.all(
      orders.map(order => write.noteConditions({ occurrences: order, now: 1000, goneBefore: 0 })),
    )
    expect(await read.sumDeliveries(null)).toMatchObject([{ state: 'waiting', count: 20 }])
    const claims = await Promise.all(
      orders.map(() => write.claimDeliveries({ now: 1000, leasedUntil: 2000, limit: 50 })),
    )
    expect(claims.flat()).toHaveLength(20)
    const [claimed] = claims.flat()
    const named = { webhookId: 'wh_1', eventId: claimed?.event_id ?? '', error: null }
    await write.endDelivery({ ...named, attempts: 7, outcome: { kind: 'sent', at: 1500 } })
    expect(await read.sumDeliveries(null)).toMatchObject([{ state: 'waiting', count: 20 }])
    await write.endDelivery({ ...named, attempts: 1, outcome: { kind: 'sent', at: 1500 } })
    expect((await read.sumDeliveries(null)).map(({ state, count }) => [state, count]).sort()).toEqual([
      ['sent', 1],
      ['waiting', 19],
    ])
    await write.deleteOldDeliveries({ before: 1501 })
    expect(await read.sumDeliveries(null)).toMatchObject([{ state: 'waiting', count: 19 }])
    // It has not subscribed to ends, so none is written for it; one is written for a webhook that has, whichever process sees it.
    const both = { webhook_id: 'wh_2', events: '["recorder_silent","condition_ended"]' }
    await write.insertWebhook({ webhook: { ...webhook, ...both }, audit })
    await Promise.all(
      orders.map(() => write.noteConditions({ occurrences: [], now: 5000, goneBefore: 4000 })),
    )
    const sums = await read.sumDeliveries(null)
    expect(sums.map(({ webhookId, count }) => [webhookId, count]).sort()).toEqual([
      ['wh_1', 19],
      ['wh_2', 20],
    ])
    expect(await write.deleteWebhook({ id: 'wh_2', audit })).toBe(true)
    expect(await write.deleteWebhook({ id: 'wh_1', audit })).toBe(true)
    expect(await read.sumDeliveries(null)).toEqual([])
  })
}
