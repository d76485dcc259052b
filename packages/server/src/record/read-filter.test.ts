// Allowed parameters of a query for calls, and the ways to name a key in it.
import { expect, test } from 'bun:test'
import { callsQuerySchema } from '@fairgate/contracts/calls/call-list.ts'
import { buildKey } from '../limits/testing/build-parties.ts'
import { buildPageInput, refuseUnknownParameters, resolveKey } from './read-filter.ts'

const all = { teamId: null, keyHash: null }
const hash = (digit: string) => digit.repeat(64)

test('no filter means the newest calls', () => {
  expect(buildPageInput({}, all)).toEqual({
    ...all,
    endpoint: null,
    model: null,
    tool: null,
    sessionId: null,
    undelivered: null,
    outcome: null,
    code: null,
    from: null,
    until: null,
    beforeId: null,
    limit: 50,
  })
})

test('times have an offset, with a plus sign that may have been lost in the URL', () => {
  const read = (from: string) => buildPageInput({ from }, all).from
  const moment = Date.UTC(2026, 10, 21, 9)
  expect(read('2026-11-21T18:00:00+09:00')).toBe(moment)
  expect(read('2026-11-21T18:00:00 09:00')).toBe(moment)
  expect(read('2026-11-21T09:00Z')).toBe(moment)
  for (const wrong of ['2026-11-21', '2026-11-21T09:00', '2026-02-30T09:00Z', 'yesterday', '1763715600'])
    expect(() => read(wrong)).toThrow("Invalid value for 'from'")
  expect(() => buildPageInput({ until: 'soon' }, all)).toThrow("Invalid value for 'until'")
})

test('a range that ends before it begins is refused', () => {
  const query = { from: '2026-11-21T09:00Z', until: '2026-11-21T09:00Z' }
  expect(() => buildPageInput(query, all)).toThrow('must be later than from')
})

test('unknown and repeated parameters are refused', () => {
  const check = (text: string) => refuseUnknownParameters(callsQuerySchema, new URLSearchParams(text))
  check('limit=5&outcome=refused')
  expect(() => check('status=429')).toThrow("Unknown parameter 'status'")
  expect(() => check('team_id=red')).toThrow("Unknown parameter 'team_id'")
  expect(() => check('code=a&code=b')).toThrow("Parameter 'code' is given twice.")
})

test('a key is found by alias, masked name, hash or itself', () => {
  const laptop = { ...buildKey(), keyHash: hash('a'), alias: 'laptop', keyName: 'sk-...1234' }
  const others = [hash('b'), hash('c')].map(keyHash => ({ ...buildKey(), keyHash, alias: 'ci' }))
  const resolve = (reference: string) => resolveKey([laptop, ...others], reference)
  expect(resolve('laptop')).toBe(hash('a'))
  expect(resolve('sk-...1234')).toBe(hash('a'))
  expect(resolve(hash('A'))).toBe(hash('a'))
  expect(resolve('sk-secret')).toBe(Bun.SHA256.hash('sk-secret', 'hex'))
  // The hash of a deleted key.
  expect(resolve(hash('d'))).toBe(hash('d'))
  expect(() => resolve('ci')).toThrow('2 keys have this name')
  expect(() => resolve('desktop')).toThrow('No such key.')
})
