// What a key has made is asked for with the same key, also after a restart with the keys in another order.
import { expect, test } from 'bun:test'
import { createKeyRing } from './key-ring.ts'

test('keys are taken in turn', () => {
  const ring = createKeyRing(['one', 'two'])
  expect([ring.next(), ring.next(), ring.next()].map(key => key.secret)).toEqual(['one', 'two', 'one'])
})

test('a key is found by its id, whatever its place, and not when it is gone', () => {
  const { id } = createKeyRing(['one', 'two']).next()
  expect(createKeyRing(['two', 'one']).find(id)?.secret).toBe('one')
  expect(createKeyRing(['two']).find(id)).toBeUndefined()
  expect(id).not.toContain('one')
})

test('no key is an error', () => {
  expect(() => createKeyRing([])).toThrow('No upstream key')
})
