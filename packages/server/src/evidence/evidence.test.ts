// Digests and commitments against values made by another program (Python's hmac and hashlib), and what must never be equal.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { commitRecord, identifyRecord, sha256 } from './commit-record.ts'
import { createTextHasher, deriveTeamJoinKey, digestText } from './create-digester.ts'

const count = (length: number) => Uint8Array.from({ length }, (_, index) => index)
const hasherOf = (eventKey: Uint8Array, teamId: string) =>
  createTextHasher(deriveTeamJoinKey(eventKey, teamId))
const red = hasherOf(count(32), 'red')
const hexOf = (bytes: Uint8Array) => bytes.toHex()

describe('digestText', () => {
  test('the key of a team follows from the key of the event', () => {
    expect(deriveTeamJoinKey(count(32), 'red').toHex()).toBe(
      '26cd5bd86e68740d567c07e0376dd978c142db69e58f0285aeae0cd33653b4dd',
    )
  })

  test.each([
    ['prompt', 'Fix the tests', '4316f4cfd6fda20e11dab1d624ff804a'],
    ['result', 'Fix the tests', '78015fa265a3065ae9d69db5d2bdb3f9'],
    ['answer', '한국어 🙂', '323289b6e4c66a3bb6b1f42282a15d11'],
  ] as const)('%s "%s"', (kind, text, digest) => {
    expect(digestText(red, kind, text)).toBe(Uint8Array.fromHex(digest).toBase64())
  })

  test('covers the text in its form for comparing, cut as the logbook cuts it', () => {
    expect(digestText(red, 'prompt', 'Cafe\u0301\r\nau lait \n')).toEqual(
      digestText(red, 'prompt', 'Café\nau lait'),
    )
    const long = 'x'.repeat(5000)
    expect(digestText(red, 'prompt', long)).toEqual(digestText(red, 'prompt', long.slice(0, 1000)))
    expect(digestText(red, 'result', long)).toEqual(digestText(red, 'result', long.slice(0, 4000)))
    expect(digestText(red, 'result', long)).not.toEqual(digestText(red, 'result', long.slice(0, 3999)))
  })

  test('a text without anything left has none', () => {
    expect(digestText(red, 'prompt', ' \r\n')).toBeNull()
  })

  test('digests differ between teams, events and kinds', () => {
    const digests = [
      digestText(red, 'prompt', 'a'),
      digestText(red, 'result', 'a'),
      digestText(red, 'answer', 'a'),
      digestText(hasherOf(count(32), 'blue'), 'prompt', 'a'),
      digestText(hasherOf(new Uint8Array(32), 'red'), 'prompt', 'a'),
    ]
    expect(new Set(digests).size).toBe(5)
  })
})

describe('commitments', () => {
  test('identity and commitment of a call', () => {
    expect(hexOf(identifyRecord('call', 'call_1'))).toBe(
      'b3870774d4a5e091cf86a4afa0796310bcdc26695eb0a90e82cf0cdbf788d0e7',
    )
    const digest = sha256('{"call_id":"call_1","cost":120000,"v":1}')
    const commitment = commitRecord(count(16), identifyRecord('call', 'call_1'), digest)
    expect(hexOf(commitment)).toBe('e12f6366132b38a07a5b923297e9adebf96f693375c278f9acf7609b7d089229')
  })

  test('any changed bit of salt, identity or digest changes the commitment', () => {
    const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
    fc.assert(
      fc.property(bytes(16), bytes(32), bytes(32), fc.nat(80 * 8 - 1), (salt, identity, digest, bit) => {
        const all = Buffer.concat([salt, identity, digest])
        const before = commitRecord(all.subarray(0, 16), all.subarray(16, 48), all.subarray(48))
        all[bit >> 3] = (all[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        const after = commitRecord(all.subarray(0, 16), all.subarray(16, 48), all.subarray(48))
        expect(Buffer.compare(before, after)).not.toBe(0)
      }),
    )
  })

  test('refuses values that cannot be read back as written', () => {
    expect(() => identifyRecord('call', 'a\nb')).toThrow('is not a valid record reference')
    expect(() => identifyRecord('audit', '')).toThrow('is not a valid record reference')
    expect(() => commitRecord(count(15), count(32), count(32))).toThrow('16, 32 and 32 bytes')
    expect(() => commitRecord(count(16), count(32), count(16))).toThrow('16, 32 and 32 bytes')
  })
})
