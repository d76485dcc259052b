// Checks where Anthropic's clients put the key, and what does not count as a key.
import { expect, test } from 'bun:test'
import { readMessagesKey } from './messages-family.ts'

const read = (headers: Record<string, string>) =>
  readMessagesKey(new Request('http://gateway/v1/messages', { headers }))

test.each([
  [{ 'x-api-key': 'sk-a' }],
  [{ 'x-api-key': ' sk-a ' }],
  [{ authorization: 'Bearer sk-a' }],
  [{ authorization: 'Bearer sk-a', 'x-api-key': 'sk-a' }],
  [{ authorization: 'Bearer sk-a', 'x-api-key': '' }],
])('%j', headers => {
  expect(read(headers)).toBe('sk-a')
})

test.each<[Record<string, string>, string]>([
  [{}, 'No gateway key'],
  [{ 'x-api-key': ' ' }, 'No gateway key'],
  [{ authorization: 'sk-a' }, 'Malformed'],
  [{ authorization: 'sk-a', 'x-api-key': 'sk-a' }, 'Malformed'],
  [{ authorization: 'Bearer sk-a', 'x-api-key': 'sk-b' }, 'different keys'],
])('%j is refused', (headers, message) => {
  expect(() => read(headers)).toThrow(message)
})
