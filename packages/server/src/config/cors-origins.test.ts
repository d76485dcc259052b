// The origins of pages that may call the gateway, and values that would never match what browsers send.
import { expect, test } from 'bun:test'
import { readCorsOrigins } from './cors-origins.ts'

test('any, none, and origins of the web and of apps', () => {
  expect(readCorsOrigins('here', 'any')).toBe('any')
  expect(readCorsOrigins('here', 'none')).toEqual(new Set())
  const listed = ['https://game.example', 'http://localhost:5173', 'http://[::1]:8080', 'app://obsidian.md']
  expect(readCorsOrigins('here', listed)).toEqual(new Set(listed))
})

test.each<[unknown, string]>([
  ['https://game.example', 'must be any, none or a list of origins, not "https://game.example".'],
  [null, 'not null.'],
  [['https://game.example/'], '"https://game.example/" is not an origin. Write https://game.example.'],
  [['https://Game.example:443/play'], 'Write https://game.example.'],
  [['game.example'], '"game.example" is not an origin. Write scheme and host, such as https://game.example.'],
  [['*'], 'Write scheme and host'],
  [['null'], 'Write scheme and host'],
  [[5173], '5173 is not an origin.'],
])('%j is refused', (value, message) => {
  expect(() => readCorsOrigins('here', value)).toThrow(message)
})
