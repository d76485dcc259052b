// Where clients put their key, and what does not count as one.
import { expect, test } from 'bun:test'
import { bearerOnly, readKey, usualPlaces } from './read-key.ts'

test.each<[Record<string, string>]>([
  [{ authorization: 'Bearer sk-a' }],
  [{ 'api-key': 'sk-a' }],
  [{ 'x-api-key': ' sk-a ' }],
  [{ 'x-goog-api-key': 'sk-a' }],
  [{ authorization: 'Bearer sk-a', 'api-key': 'sk-a', 'x-api-key': 'sk-a', 'x-goog-api-key': 'sk-a' }],
  [{ authorization: 'Bearer sk-a', 'x-api-key': '' }],
  [{ 'api-key': '', 'x-goog-api-key': 'sk-a' }],
])('%j', headers => {
  expect(readKey(new Headers(headers), usualPlaces)).toBe('sk-a')
})

test.each<[Record<string, string>, string]>([
  [{}, 'No gateway key. Send "Authorization: Bearer sk-…".'],
  [{ 'x-api-key': ' ' }, 'No gateway key'],
  [{ 'x-vendor-api-key': 'sk-a' }, 'No gateway key'],
  [{ authorization: 'sk-a' }, 'Malformed'],
  [{ authorization: 'sk-a', 'x-api-key': 'sk-a' }, 'Malformed'],
  [
    { authorization: 'Bearer sk-a', 'x-api-key': 'sk-b' },
    'Authorization and x-api-key contain different keys',
  ],
  [{ 'api-key': 'sk-a', 'x-goog-api-key': 'sk-b' }, 'api-key and x-goog-api-key contain different keys'],
  [{ authorization: 'Bearer sk-a', 'api-key': 'sk-a', 'x-goog-api-key': 'sk-b' }, 'different keys'],
])('%j is refused', (headers, message) => {
  expect(() => readKey(new Headers(headers), usualPlaces)).toThrow(message)
})

test('a reader of bearer tokens reads no other header', () => {
  const headers = new Headers({ authorization: 'Bearer sk-a', 'x-api-key': 'sk-b' })
  expect(readKey(headers, bearerOnly)).toBe('sk-a')
})
