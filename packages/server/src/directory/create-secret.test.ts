// The form of a secret, and the distinction between a damaged and an unknown one.
import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { createSecret, describeDamage, hashSecret, type SecretPrefix } from './create-secret.ts'

const prefixes: readonly SecretPrefix[] = ['sk-', 'aitc_', 'jt_']

test.each([...prefixes])('%s is followed only by letters and digits, always the same number', prefix => {
  for (const bytes of [Buffer.alloc(24), Buffer.alloc(24, 255), randomBytes(24)]) {
    const { secret, hash, name } = createSecret(prefix, () => bytes)
    expect(secret.slice(0, prefix.length)).toBe(prefix)
    expect(secret.slice(prefix.length)).toMatch(/^[0-9A-Za-z]{39}$/)
    expect(hash).toBe(hashSecret(secret))
    expect(name).toBe(`${prefix}...${secret.slice(-4)}`)
    expect(describeDamage(prefix, secret)).toBeNull()
  }
})

test('the same bytes give the same secret, other bytes another', () => {
  const make = (bytes: Buffer) => createSecret('sk-', () => bytes).secret
  expect(make(Buffer.alloc(24, 7))).toBe('sk-04hRzgefUy8S7YcHUrJGoeiJTKldGueU33SK3r4')
  expect(new Set(Array.from({ length: 1000 }, () => make(randomBytes(24)))).size).toBe(1000)
})

test('a truncated secret says how much is missing, and a longer one how much is extra', () => {
  const { secret } = createSecret('sk-', randomBytes)
  expect(describeDamage('sk-', secret.slice(0, -1))).toBe(
    'is cut off: 1 character is missing. Copy all of it.',
  )
  expect(describeDamage('sk-', secret.slice(0, 10))).toContain('32 characters are missing')
  expect(describeDamage('sk-', 'sk-')).toContain('39 characters are missing')
  expect(describeDamage('sk-', `${secret}.`)).toBe('is 1 character too long. Copy only the secret itself.')
  expect(describeDamage('sk-', secret + secret)).toContain('42 characters too long')
})

test('every wrong character and every swap of two characters is noticed', () => {
  const { secret } = createSecret('aitc_', () => Buffer.alloc(24, 91))
  const mistyped = 'is mistyped: its checksum does not match. Copy it instead of typing it.'
  for (let index = 'aitc_'.length; index < secret.length; index += 1) {
    const [before, character, next = '', after] = [
      secret.slice(0, index),
      secret.charAt(index),
      secret.charAt(index + 1),
      secret.slice(index + 2),
    ]
    for (const other of ['0', 'O', 'l', '-', 'é'].filter(each => each !== character))
      expect(describeDamage('aitc_', before + other + next + after)).toBe(mistyped)
    if (next !== '' && next !== character)
      expect(describeDamage('aitc_', before + next + character + after)).toBe(mistyped)
  }
})

test('a checksum belongs to its prefix', () => {
  const { secret } = createSecret('aitc_', randomBytes)
  expect(describeDamage('sk-', `sk-${secret.slice(5)}`)).toContain('is mistyped')
})

test('secrets from before checksums get no hint', () => {
  expect(describeDamage('sk-', `sk-${Buffer.alloc(24, 251).toString('base64url')}`)).toBeNull()
})
