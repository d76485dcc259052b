// A signature survives the way to a client and back inside the id of a tool call.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { joinToolCallId, readSignature, splitToolCallId, writeToolCallId } from './tool-call-id.ts'

test('any signature can be restored', () => {
  const base64 = fc
    .uint8Array({ minLength: 1, maxLength: 300 })
    .map(bytes => Buffer.from(bytes).toString('base64'))
  const signature = fc.oneof(base64, fc.string({ unit: 'grapheme', minLength: 1 }))
  const id = fc.stringMatching(/^[0-9a-f]{24}$/)
  fc.assert(
    fc.property(id, signature, (id, signature) => {
      const written = writeToolCallId(id, signature)
      expect(written).toMatch(/^call_[\w-]+$/)
      expect(readSignature(written)).toBe(signature)
      expect(splitToolCallId(written)).toEqual({ id: `call_${id}`, signature })
      expect(joinToolCallId(`call_${id}`, signature)).toBe(written)
    }),
  )
})

test.each([[null], ['']])('%j leaves a plain id', signature => {
  expect(writeToolCallId('ab12', signature)).toBe('call_ab12')
})

test.each([['call_ab12'], ['toolu_01'], [''], ['call_ab__x_c2ln'], ['call_ab__s_!!']])(
  '%j carries no signature',
  id => {
    expect(readSignature(id)).toBeNull()
  },
)

test('a short id in the form of another dialect can carry a signature too', () => {
  const joined = joinToolCallId('toolu_ab12', 'c2ln')
  expect(splitToolCallId(joined)).toEqual({ id: 'toolu_ab12', signature: 'c2ln' })
})

test.each([['call-0-x'], ['a b'], [''], ['call_ab__s_c2ln']])('%j carries none', id => {
  expect(joinToolCallId(id, 'bmV3')).toBe(id)
})
