// Group commit with a store that the test holds in its hand: grouping, failures, locks.
import { expect, test } from 'bun:test'
import type {
  AppendEntriesInput,
  AppendOutcome,
  EntryToAppend,
} from '../../store/statements/append-entries.ts'
import { createCommitEntries } from './commit-entries.ts'

function entry(identity: string, bodyBytes = 10): EntryToAppend {
  return { identity, body: '{}', bodyBytes, bodyHash: '', tsMicros: 0, toolKey: 't', eventKey: 'e' }
}

function stored(count: number): AppendOutcome {
  return { locked: false, stored: count, duplicates: 0, head: { seq: count, chain: 'c' } }
}

/** A store that fails on every group for which `isPoisoned` holds, and notes the groups it was given. */
function createStore(
  isPoisoned: (identities: string[]) => boolean = () => false,
  failure = new Error('a constraint'),
) {
  const groups: string[][] = []
  const failures: unknown[] = []
  const appendEntries = async ({ requests }: AppendEntriesInput) => {
    const identities = requests.flatMap(({ entries }) => entries.map(({ identity }) => identity))
    groups.push(identities)
    await Promise.resolve()
    if (isPoisoned(identities)) throw failure
    return requests.map(({ teamId, entries }) =>
      teamId === 'locked' ? { locked: true as const } : stored(entries.length),
    )
  }
  const commit = createCommitEntries({ appendEntries, reportFailure: error => failures.push(error) })
  return { commit, groups, failures }
}

test('what waits while one commit runs goes into the next', async () => {
  const { commit, groups } = createStore()
  const commits = ['a', 'b', 'c'].map(name => commit(`team-${name}`, [entry(name)]))
  expect(await Promise.all(commits)).toEqual(
    Array(3).fill({ stored: 1, duplicates: 0, head: { seq: 1, chain: 'c' } }),
  )
  expect(groups).toEqual([['a'], ['b', 'c']])
})

test('a group is bounded by entries and by bytes, and a large request goes alone', async () => {
  const { commit, groups } = createStore()
  const many = (name: string) => Array.from({ length: 400 }, () => entry(name))
  await Promise.all([
    commit('t', [entry('first')]),
    ...['a', 'b', 'c'].map(name => commit('t', many(name))),
    commit('t', [entry('large', 8 * 1024 * 1024)]),
    commit('t', [entry('last')]),
  ])
  expect(groups.map(group => group.length)).toEqual([1, 800, 400, 1, 1])
})

test('a failing group is tried again request by request, so one bad request harms no neighbour', async () => {
  const { commit, groups, failures } = createStore(identities => identities.includes('bad'))
  const outcomes = await Promise.allSettled(
    ['first', 'good', 'bad', 'better'].map(name => commit('t', [entry(name)])),
  )
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  expect(groups).toEqual([['first'], ['good', 'bad', 'better'], ['good'], ['bad'], ['better']])
  expect(failures).toHaveLength(1)
})

// Shown to fail on the version before, which asked a full disk once more for each request.
test('a failure of the whole store refuses the group without another try', async () => {
  const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
  const { commit, groups, failures } = createStore(() => true, full)
  const outcomes = await Promise.allSettled(['first', 'a', 'b', 'c'].map(name => commit('t', [entry(name)])))
  expect(outcomes).toMatchObject(Array(4).fill({ reason: { code: 'unavailable', status: 503 } }))
  expect(groups).toEqual([['first'], ['a', 'b', 'c']])
  expect(failures).toHaveLength(4)
})

test('a store that is down answers 503 with retry-after, and the next request is tried again', async () => {
  let isDown = true
  const { commit } = createStore(() => isDown)
  await expect(commit('t', [entry('a')])).rejects.toMatchObject({
    code: 'unavailable',
    status: 503,
    headers: { 'retry-after': '5' },
  })
  isDown = false
  expect(await commit('t', [entry('a')])).toMatchObject({ stored: 1 })
})

test('a locked board refuses its own request only', async () => {
  const { commit } = createStore()
  const [first, locked, last] = await Promise.allSettled([
    commit('t', [entry('a')]),
    commit('locked', [entry('b')]),
    commit('t', [entry('c')]),
  ])
  expect([first?.status, last?.status]).toEqual(['fulfilled', 'fulfilled'])
  expect(locked).toMatchObject({ status: 'rejected', reason: { code: 'locked', status: 403 } })
})

test('a flood is refused at once instead of filling the memory', async () => {
  const { commit, groups } = createStore()
  const huge = 60 * 1024 * 1024
  const outcomes = await Promise.allSettled(
    ['a', 'b', 'c', 'd'].map(name => commit('t', [entry(name, huge)])),
  )
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected'])
  expect(groups.flat()).toEqual(['a', 'b', 'c'])
})
