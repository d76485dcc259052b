// A sealed secret opens with its key, for its webhook and unchanged, and in no other case.
import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { createSecretSeal } from './secret-seal.ts'

const seal = createSecretSeal(Buffer.alloc(32, 1), randomBytes)

test('it opens again, and the same secret is never sealed to the same text twice', () => {
  const sealed = seal.seal('wh_1', 'whsec_abc')
  expect(seal.open('wh_1', sealed)).toBe('whsec_abc')
  expect(sealed).not.toContain('whsec')
  expect(seal.seal('wh_1', 'whsec_abc')).not.toBe(sealed)
})

test('another key, another webhook, a changed byte, a plain or an empty text do not open', () => {
  const sealed = seal.seal('wh_1', 'whsec_abc')
  expect(createSecretSeal(Buffer.alloc(32, 2), randomBytes).open('wh_1', sealed)).toBeNull()
  expect(seal.open('wh_2', sealed)).toBeNull()
  const bytes = Buffer.from(sealed, 'base64url')
  for (let index = 0; index < bytes.length; index += 1) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8(changed.readUInt8(index) ^ 1, index)
    expect(seal.open('wh_1', changed.toString('base64url'))).toBeNull()
  }
  for (const text of ['', 'whsec_abc', `whsec_${'7'.repeat(64)}`]) expect(seal.open('wh_1', text)).toBeNull()
})
