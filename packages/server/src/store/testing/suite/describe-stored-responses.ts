// Engine tests: responses that later requests may refer to. Part of the suite of all stores.
import { expect, test } from 'bun:test'
import type { StoredResponse, StoreResponsesInput } from '../../statements/stored-responses.ts'
import type { Store } from '../../store.ts'

const response = (callId: string, changes: Partial<StoredResponse> = {}): StoredResponse => ({
  teamId: 'red',
  callId,
  createdAt: 1000,
  previousCallId: null,
  response: `{"id":"${callId}"}`,
  input: '["\\u0000 é"]',
  ...changes,
})
/** Of a row above, for an id of one letter. */
const rowBytes = 10 + 13

export function describeStoredResponses(current: () => Store): void {
  const store = (responses: readonly StoredResponse[], bounds: Partial<StoreResponsesInput> = {}) =>
    current().write.storeResponses({ responses, maxCount: 100, maxBytes: 10_000, ...bounds })
  const read = (callIds: readonly string[], { teamId = 'red', since = 0, withInput = true } = {}) =>
    current().read.readResponses({ teamId, callIds, since, withInput })
  const idsOf = async (teamId = 'red') =>
    (await read(['a', 'b', 'c', 'd', 'e'], { teamId })).map(({ callId }) => callId).sort()
  const chainOf = async (callId: string, { teamId = 'red', since = 0, maxLength = 10 } = {}) => {
    const { links, brokenAt } = await current().read.measureChain({ teamId, callId, since, maxLength })
    return [links.map(link => link.callId).join(''), brokenAt]
  }

  test('is read back as stored, by its team, until it is too old; storing it again changes nothing', async () => {
    await store([response('a')])
    await store([response('a', { response: '{}' })])
    expect(await read(['a', 'x'])).toEqual([{ callId: 'a', response: '{"id":"a"}', input: '["\\u0000 é"]' }])
    expect((await read(['a'], { withInput: false }))[0]?.input).toBe('')
    expect(await read(['a'], { teamId: 'blue' })).toEqual([])
    expect(await read(['a'], { since: 1000 })).toEqual([])
    expect(await read([])).toEqual([])
    const measured = await current().read.measureResponses({ teamId: 'red', callIds: ['a'], since: 0 })
    expect(measured).toEqual([{ callId: 'a', responseBytes: 10, inputBytes: 13 }])
  })

  test('a conversation is followed to its start, within its team, its age and a length', async () => {
    await store([
      response('a'),
      response('b', { previousCallId: 'a', createdAt: 2000 }),
      response('c', { previousCallId: 'b', createdAt: 3000 }),
      response('d', { teamId: 'blue', previousCallId: 'c' }),
    ])
    expect(await chainOf('c')).toEqual(['cba', null])
    expect(await chainOf('c', { maxLength: 2 })).toEqual(['cb', 'b'])
    expect(await chainOf('c', { since: 1000 })).toEqual(['cb', 'b'])
    expect(await chainOf('c', { teamId: 'blue' })).toEqual(['', null])
    expect(await chainOf('d', { teamId: 'blue' })).toEqual(['d', 'd'])
    expect(await current().write.deleteResponse({ teamId: 'red', callId: 'b' })).toBe(true)
    expect(await current().write.deleteResponse({ teamId: 'red', callId: 'b' })).toBe(false)
    expect(await chainOf('c')).toEqual(['c', 'c'])
  })

  test("the oldest of a team go first beyond its count and its bytes; another team's stay", async () => {
    await store([response('a', { teamId: 'blue' }), response('a'), response('b'), response('c')])
    await store([response('d')], { maxCount: 2 })
    expect(await idsOf()).toEqual(['c', 'd'])
    await store([response('e')], { maxBytes: 2 * rowBytes })
    expect(await idsOf()).toEqual(['d', 'e'])
    expect(await idsOf('blue')).toEqual(['a'])
  })

  test('what is too old is deleted, in steps', async () => {
    await store([response('a'), response('b', { createdAt: 1001 }), response('c', { createdAt: 1002 })])
    const drop = (limit: number) => current().write.deleteOldResponses({ before: 1001, limit })
    expect(await drop(1)).toEqual({ deleted: 1 })
    expect(await drop(2)).toEqual({ deleted: 1 })
    expect(await idsOf()).toEqual(['c'])
  })
}
