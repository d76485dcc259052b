// The number of processes that serve, and impossible numbers.
import { expect, test } from 'bun:test'
import { countProcesses, parseProcesses, whyOnlyOne } from './plan-processes.ts'

test.each([
  ['1', 1],
  [' 4 ', 4],
  ['64', 64],
  ['auto', 'auto'],
] as const)('%p is accepted', (text, setting) => {
  expect(parseProcesses(text)).toBe(setting)
})

test.each(['0', '1.5', '65', '-1', '+2', '1e1', 'two', 'Auto', '', ' '])('%p is refused', text => {
  expect(parseProcesses(text)).toBeNull()
})

test('only PostgreSQL serves several processes', () => {
  expect(whyOnlyOne(null)).toStartWith('SQLite serves one process.')
  expect(whyOnlyOne('postgres://localhost/fairgate')).toBeNull()
})

const able = { whyOnlyOne: null, platform: 'linux', cores: 8 }
const sqlite = { ...able, whyOnlyOne: 'SQLite serves one process.' }
const mac = { ...able, platform: 'darwin' }

test.each([
  ['3', 3, able, 3],
  ['auto on 8 cores', 'auto', able, 8],
  ['auto on one core', 'auto', { ...able, cores: 1 }, 1],
  ['auto on 256 cores', 'auto', { ...able, cores: 256 }, 64],
  ['1 on SQLite', 1, sqlite, 1],
  ['auto on SQLite', 'auto', sqlite, 1],
  ['1 on macOS', 1, mac, 1],
  ['auto on macOS', 'auto', mac, 1],
] as const)('%s', (_, asked, surroundings, count) => {
  expect(countProcesses(asked, surroundings)).toBe(count)
})

test.each([
  ['SQLite', sqlite, '2 processes cannot run here. SQLite serves one process.'],
  ['macOS', mac, '2 processes cannot run here. Multiple processes can share an address only on Linux.'],
])('two on %s are refused', (_, surroundings, message) => {
  expect(() => countProcesses(2, surroundings)).toThrow(message)
})
