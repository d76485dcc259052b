// A key has one current secret, and for a while the one before it.
import { expect, test } from 'bun:test'
import { isHashOf, isSecretInForce, secretsOf } from './key-secrets.ts'

const first = { keyHash: 'first', rotation: null }
const second = {
  keyHash: 'first',
  rotation: { count: 1, at: 100, secretHash: 'secnd', previousHash: 'first', previousUntil: 200 },
}
const third = {
  keyHash: 'first',
  rotation: { count: 2, at: 150, secretHash: 'third', previousHash: 'secnd', previousUntil: 150 },
}

test.each([
  ['the first secret', first, 'first', 0, true],
  ['another', first, 'other', 0, false],
  ['the new one', second, 'secnd', 100, true],
  ['the old one within its grace period', second, 'first', 199, true],
  ['the old one after its grace period', second, 'first', 200, false],
  ['the old one without a grace period', third, 'secnd', 150, false],
  ['the one before the old one', third, 'first', 150, false],
])('%s', (_name, key, hash, now, works) => {
  expect(isSecretInForce(key, hash, now)).toBe(works)
})

test('the identity stays the hash of the first secret', () => {
  expect(secretsOf(third)).toEqual(['third', 'secnd'])
  expect(['first', 'secnd', 'third', 'other'].map(hash => isHashOf(third, hash))).toEqual([
    true,
    true,
    true,
    false,
  ])
})
