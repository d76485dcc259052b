import { expect, test } from 'bun:test'
import { readSuite } from './suites.ts'

const file = 'packages/server/journeys/limits.test.ts'

test('without a suite line, the folder sets the tier and the engine is SQLite', () => {
  const tierOf = (path: string) => readSuite(path, '// Limits.').runs
  expect(tierOf(file)).toEqual([{ tier: 'test', engine: 'sqlite' }])
  expect(tierOf('packages/server/journeys/full/faults.test.ts')).toEqual([{ tier: 'full', engine: 'sqlite' }])
  expect(tierOf('packages/server/journeys/console/frame.test.ts')).toEqual([
    { tier: 'browser', engine: 'sqlite' },
  ])
  expect(tierOf('packages/server/journeys/deploy/image.test.ts')).toEqual([
    { tier: 'deploy', engine: 'sqlite' },
  ])
})

test('a suite line names tiers, engines, seconds, and whether it runs alone and guards an invariant', () => {
  expect(
    readSuite(file, '// suite: test on sqlite; full on sqlite and postgres; alone; invariant; 25 s'),
  ).toEqual({
    file,
    runs: [
      { tier: 'test', engine: 'sqlite' },
      { tier: 'full', engine: 'sqlite' },
      { tier: 'full', engine: 'postgres' },
    ],
    alone: true,
    invariant: true,
    seconds: 25,
  })
})

test('long campaigns guard invariants by default', () => {
  expect(readSuite('packages/server/journeys/full/faults.test.ts', '').invariant).toBe(true)
  expect(readSuite(file, '// suite: 9 s').invariant).toBe(false)
})

test.each(['weekly on sqlite', 'test on mysql', 'test on', 'quick', '3 min'])(
  'a suite line with "%s" stops the run and names the file',
  clause => {
    expect(() => readSuite(file, `// suite: ${clause}`)).toThrow(`${file}: "${clause}"`)
  },
)
