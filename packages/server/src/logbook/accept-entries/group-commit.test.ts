// Group commit with a store that the test controls: grouping, failures, locks.
import { expect, test } from 'bun:test'
import type { AppendEntriesInput, AppendOutcome } from '../../store/statements/append-entries.ts'
import type { HeldEntries } from '../../store/statements/packed-entries.ts'
import { sender } from '../../store/testing/build-entry-to-append.ts'
import { GroupCommit } from './group-commit.ts'

/** Entries in the hands of another thread, under this number. */
function held(heldAs: number, { count = 1, bytes = 10 } = {}): HeldEntries {
  return { heldAs, count, bytes }
}

function stored(count: number): AppendOutcome {
  return { locked: false, stored: count, duplicates: 0, head: { seq: count, chain: 'c' } }
}

/** A store that fails on every group for which `isPoisoned` is true, and records its groups. */
function createStore(
  isPoisoned: (group: number[]) => boolean = () => false,
  failure = new Error('a constraint'),
) {
  const groups: number[][] = []
  const failures: unknown[] = []
  const discarded: number[] = []
  const appendEntries = async ({ requests }: AppendEntriesInput) => {
    const group = requests.map(({ entries }) => ('heldAs' in entries ? entries.heldAs : 0))
    groups.push(group)
    await Promise.resolve()
    if (isPoisoned(group)) throw failure
    return requests.map(({ teamId, entries }) =>
      teamId === 'locked' ? { locked: true as const } : stored(entries.count),
    )
  }
  const queue = new GroupCommit({
    appendEntries,
    discard: heldAs => discarded.push(heldAs),
    reportFailure: error => failures.push(error),
  })
  const commit = (teamId: string, entries: HeldEntries) => queue.commit({ teamId, sender, entries })
  return { commit, groups, failures, discarded }
}

test('requests that wait during a commit go into the next one', async () => {
  const { commit, groups, discarded } = createStore()
  const commits = [1, 2, 3].map(number => commit(`team-${number}`, held(number)))
  expect(await Promise.all(commits)).toEqual(
    Array(3).fill({ stored: 1, duplicates: 0, head: { seq: 1, chain: 'c' } }),
  )
  expect(groups).toEqual([[1], [2, 3]])
  expect(discarded).toEqual([])
})

test('a group is bounded by entries and bytes, and a large request has a commit of its own', async () => {
  const { commit, groups } = createStore()
  await Promise.all([
    commit('t', held(1)),
    ...[2, 3, 4].map(number => commit('t', held(number, { count: 800 }))),
    commit('t', held(5, { bytes: 8 * 1024 * 1024 })),
    commit('t', held(6)),
  ])
  expect(groups).toEqual([[1], [2, 3], [4], [5], [6]])
})

test('a failed group is retried request by request, so one bad request affects no other', async () => {
  const { commit, groups, failures, discarded } = createStore(group => group.includes(3))
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map(number => commit('t', held(number))))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  expect(groups).toEqual([[1], [2, 3, 4], [2], [3], [4]])
  expect(failures).toHaveLength(1)
  expect(discarded).toEqual([3])
})

// Shown to fail on the previous version, which tried a full disk again for each request.
test('a failure of the whole store refuses the group without a retry', async () => {
  const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
  const { commit, groups, failures, discarded } = createStore(() => true, full)
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map(number => commit('t', held(number))))
  expect(outcomes).toMatchObject(Array(4).fill({ reason: { code: 'unavailable', status: 503 } }))
  expect(groups).toEqual([[1], [2, 3, 4]])
  expect(failures).toHaveLength(4)
  expect(discarded).toEqual([1, 2, 3, 4])
})

test('an unavailable store means 503 with retry-after, and the next request is tried', async () => {
  let isDown = true
  const { commit } = createStore(() => isDown)
  await expect(commit('t', held(1))).rejects.toMatchObject({
    code: 'unavailable',
    status: 503,
    headers: { 'retry-after': '5' },
  })
  isDown = false
  expect(await commit('t', held(1))).toMatchObject({ stored: 1 })
})

test('a locked board refuses only its own request', async () => {
  const { commit } = createStore()
  const [first, locked, last] = await Promise.allSettled([
    commit('t', held(1)),
    commit('locked', held(2)),
    commit('t', held(3)),
  ])
  expect([first?.status, last?.status]).toEqual(['fulfilled', 'fulfilled'])
  expect(locked).toMatchObject({ status: 'rejected', reason: { code: 'locked', status: 403 } })
})

test('a flood is refused at once instead of filling the memory', async () => {
  const { commit, groups, discarded } = createStore()
  const bytes = 60 * 1024 * 1024
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map(number => commit('t', held(number, { bytes }))))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected'])
  expect(groups.flat()).toEqual([1, 2, 3])
  expect(discarded).toEqual([4])
})
