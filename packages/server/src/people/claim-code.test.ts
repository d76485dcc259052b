// The form of a code, and that every typing error is detected.
import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { createCode, isWholeCode, normaliseCode } from './claim-code.ts'

const alphabet = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'

test('a code has twelve characters that do not look alike, and a valid checksum', () => {
  for (let tries = 0; tries < 500; tries += 1) {
    const code = createCode(randomBytes)
    expect(code).toMatch(/^[ABCDEFGHJKMNPQRSTUVWXYZ2-9]{12}$/)
    expect(isWholeCode(code)).toBe(true)
  }
})

test('bytes that would favour some characters are discarded', () => {
  const bytes = [255, 248, 0, 30, 31, 247]
  expect(createCode(() => Buffer.from([bytes.shift() ?? 0]))).toMatch(/^A9A9AAAAA./)
})

test('each wrong character, each swap of two and each truncation is noticed', () => {
  const code = createCode(randomBytes)
  for (const [index, character] of [...code].entries()) {
    for (const other of alphabet)
      if (other !== character)
        expect(isWholeCode(code.slice(0, index) + other + code.slice(index + 1))).toBe(false)
    const next = code.charAt(index + 1)
    if (index < 10 && next !== character)
      expect(isWholeCode(code.slice(0, index) + next + character + code.slice(index + 2))).toBe(false)
    expect(isWholeCode(code.slice(0, index))).toBe(false)
  }
  expect(isWholeCode(`${code}A`)).toBe(false)
  expect(isWholeCode(code.toLowerCase())).toBe(false)
  expect(isWholeCode('0OIL110OIL')).toBe(false)
})

test('case, spaces and hyphens do not matter', () => {
  expect(normaliseCode(' k7qm2-xpd 3a\n')).toBe('K7QM2XPD3A')
})
