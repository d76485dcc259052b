// Signatures come back whole to the model that made them, and nothing else ever does.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { packReasoning, unpackReasoning } from './reasoning-envelope.ts'

const model = { upstream: 'vendor', upstreamId: 'gemini-3-pro-preview' }
const base64 = fc.uint8Array({ minLength: 1 }).map(bytes => Buffer.from(bytes).toString('base64'))
const signature = fc.option(fc.oneof(base64, fc.string({ unit: 'grapheme', minLength: 1 })))
const signatures = fc.record({ calls: fc.array(signature), text: signature })

test('any signatures can be read back', () => {
  fc.assert(
    fc.property(signatures, given => {
      const packed = packReasoning(model, given)
      expect(packed).toMatch(/^fg1\.[\w.-]+$/)
      expect(unpackReasoning(model, packed)).toEqual(given)
    }),
  )
})

test('other models, and a model of the same name at another upstream, get none', () => {
  const packed = packReasoning(model, { calls: ['c2ln'], text: null })
  expect(unpackReasoning({ ...model, upstreamId: 'gemini-3-flash-preview' }, packed)).toBeNull()
  expect(unpackReasoning({ ...model, upstream: 'local' }, packed)).toBeNull()
})

test('a truncated or altered text gives none', () => {
  fc.assert(
    fc.property(signatures, fc.nat(), (given, at) => {
      const packed = packReasoning(model, given)
      expect(unpackReasoning(model, packed.slice(0, at % packed.length))).toBeNull()
      expect(unpackReasoning(model, `${packed}.`)).toBeNull()
    }),
  )
})

test('foreign texts give none and never throw', () => {
  fc.assert(fc.property(fc.string(), text => expect(unpackReasoning(model, text)).toBeNull()))
  for (const text of [
    '',
    'fg1',
    'fg1.',
    'fg1..',
    'fg1...',
    'gAAAAABm',
    'EqQBCgIYAhIM',
    `fg1.${'.'.repeat(100_000)}`,
  ])
    expect(unpackReasoning(model, text)).toBeNull()
})
