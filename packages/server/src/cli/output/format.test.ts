// Tables on a terminal: they fit its width, ids stay whole, and colours and the pager are for people only.
import { expect, test } from 'bun:test'
import { buildTeamRecord } from '../testing/build-replies.ts'
import { runCli } from '../testing/run-cli.ts'
import { formatTable, layOut } from './format.ts'

const plain = { width: null, height: null, isColoured: false }
const table = formatTable(
  ['CALL', 'TEXT', 'NAME'],
  [
    ['019e2f6a-4c1b-7d3e-8f00-5a6b7c8d9e0f', 'Lunch is served in hall 2, next to the stairs.', 'Red Pandas'],
    ['019e2f6a-4c1b-7d3e-8f00-5a6b7c8d9e10', 'デモは五時に始まります とても長い文', 'Jun'],
  ],
)

test('texts are cut to fit rows; ids are not', () => {
  const [, first = '', second = ''] = layOut(table, { ...plain, width: 70 }).split('\n')
  expect(first).toBe('019e2f6a-4c1b-7d3e-8f00-5a6b7c8d9e0f  Lunch is served in…  Red Pandas')
  expect(second).toBe('019e2f6a-4c1b-7d3e-8f00-5a6b7c8d9e10  デモは五時に始まり…  Jun')
})

test('a narrow terminal shortens hashes and times, then leaves columns out and names them', () => {
  const keys = formatTable(
    ['HASH', 'ALIAS', 'EXPIRES', 'STATE'],
    [['5f2c91ab'.repeat(8), 'laptop', '2026-12-28T05:21:01.494Z', 'works']],
  )
  expect(layOut(keys, { ...plain, width: 46 })).toBe(
    'HASH           ALIAS   EXPIRES       STATE\n5f2c91ab5f2c…  laptop  12-28 05:21Z  works',
  )
  expect(layOut(keys, { ...plain, width: 30 })).toBe(
    'HASH           ALIAS   STATE\n5f2c91ab5f2c…  laptop  works\n\nNot shown: EXPIRES. Widen the terminal, or use --json.',
  )
  expect(layOut(keys, plain)).toContain('2026-12-28T05:21:01.494Z')
})

test('in a pipe nothing is cut, and when ids alone are too wide nothing can be', () => {
  expect(layOut(table, plain)).toContain('next to the stairs.')
  expect(layOut(table, { ...plain, width: 20 })).toContain(
    '019e2f6a-4c1b-7d3e-8f00-5a6b7c8d9e0f  Lunch is se…',
  )
})

test('control characters in foreign text do not reach the terminal through a table', () => {
  expect(layOut('\u001da\u001f\u001b[2J\u001d', plain)).toBe('a  \\u{1b}[2J')
})

test('titles are bold on a terminal with colours', async () => {
  const teams = [{ ...buildTeamRecord(), keys: [], team_memberships: [] }]
  const layout = { width: 80, height: 24, isColoured: true }
  const { stdout } = await runCli(['team', 'list'], [teams], { layout })
  expect(stdout).toStartWith('\u001b[1mTEAM ')
  expect(stdout.match(/\u001b/g)).toHaveLength(2)
})

test('a list longer than the terminal is paged; without a pager it is printed', async () => {
  const teams = Array.from({ length: 30 }, () => ({ ...buildTeamRecord(), keys: [], team_memberships: [] }))
  const layout = { width: 80, height: 24, isColoured: false }
  const paged: string[] = []
  const page = (text: string) => paged.push(text) > 0
  expect((await runCli(['team', 'list'], [teams], { layout, page })).stdout).toBe('')
  expect(paged[0]?.split('\n')).toHaveLength(32)
  expect((await runCli(['team', 'list'], [teams], { layout })).stdout).toBe(paged[0] ?? '')
  expect((await runCli(['team', 'list'], [teams.slice(0, 5)], { layout, page })).stdout).not.toBe('')
  expect(paged).toHaveLength(1)
})
