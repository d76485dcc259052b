// Digests that a call keeps of its texts: of the words themselves, without the wrappers of its tool.
import { expect, test } from 'bun:test'
import { createDigester } from './create-digester.ts'
import { readJoinRules, shippedJoinRules } from './read-join-rules.ts'

const digest = createDigester(new Uint8Array(32).fill(7), readJoinRules(shippedJoinRules))
const of = (prompt: string, tool: string | null = null, teamId = 'red') =>
  digest(teamId, tool, { prompts: [prompt], results: [], answer: null })?.prompts[0]

test('equal words have equal digests, with wrappers and without', () => {
  expect(of('<system-reminder>today</system-reminder>Fix it', 'claude')).toBe(of('Fix it'))
  expect(of('Fix it \r\n')).toBe(of('Fix it'))
})

test('digests differ between teams and between words', () => {
  expect(of('Fix it', null, 'blue')).not.toBe(of('Fix it'))
  expect(of('Fix it!')).not.toBe(of('Fix it'))
})

test('texts that are only wrappers and white space have no digest', () => {
  expect(of('<system-reminder>today</system-reminder>', 'claude')).toBeUndefined()
  expect(digest('red', null, { prompts: [' \n'], results: [], answer: '' })).toBeNull()
})

test('prompts, results and the answer, in their order', () => {
  const digests = digest('red', null, { prompts: ['a', 'b'], results: ['c'], answer: 'd' })
  expect(digests?.prompts).toEqual([of('a') ?? '', of('b') ?? ''])
  expect(digests?.results).toHaveLength(1)
  expect(Buffer.from(digests?.answer ?? '', 'base64')).toHaveLength(16)
})
