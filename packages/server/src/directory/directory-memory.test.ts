// Changes of this process and reads of the disk may come in either order: memory ends up equal to the disk, and never shows an older state on
// the way.
import { expect, test } from 'bun:test'
import type { DirectoryChanges } from '../store/statements/read-directory.ts'
import { buildKeyRow, buildTeamRow } from '../store/testing/build-directory-rows.ts'
import { DirectoryMemory } from './directory-memory.ts'
import { fromKeyRow, fromTeamRow } from './directory-rows.ts'

const nothing = {
  catalogVersion: 0,
  isWhole: false,
  teams: [],
  keys: [],
  logTokens: [],
  deletedNames: [],
  members: [],
  announcements: [],
  uncharged: [],
  event: null,
  deletedKeys: [],
}
const team = { ...buildTeamRow('team-1'), version: 1 }
const key = { ...buildKeyRow('key-1'), version: 2 }
const whole: DirectoryChanges = { ...nothing, version: 2, isWhole: true, teams: [team], keys: [key] }

/** Loaded with one team and one key; `answer` sets the results of the next reads, in order. */
async function loadMemory(answers: readonly (DirectoryChanges | Promise<DirectoryChanges>)[]) {
  const asked: (number | null)[] = []
  const memory = await DirectoryMemory.load({
    readDirectory: async ({ after }) => {
      asked.push(after)
      return asked.length === 1 ? whole : ((await answers[asked.length - 2]) ?? { ...nothing, version: 2 })
    },
  })
  return { memory, asked }
}

// Fails without `#deletedKeys`.
test('a key deleted here does not come back with an older read', async () => {
  const reading = Promise.withResolvers<DirectoryChanges>()
  const { memory } = await loadMemory([reading.promise])
  const refreshed = memory.refresh()
  const held = memory.findKey('key-1')
  if (held === undefined) throw new Error('There is a key.')
  memory.note(4, { deletedKeys: [{ ...held, deletedAt: 5, deletedBy: 'admin' }] })
  // Another process had changed the key before it was deleted here.
  reading.resolve({ ...nothing, version: 3, keys: [{ ...key, alias: 'changed', version: 3 }] })
  await refreshed
  expect(memory.findKey('key-1')).toBeUndefined()
  expect(memory.keysOfTeam('team-1')).toEqual([])
  expect(memory.findKeyBySecret('key-1')).toBeUndefined()
  expect(memory.findKeyName('key-1')).toMatchObject({ keyName: 'sk-...abcd' })
})

// Fails if the state of any read is set.
test('an older read does not undo a change made here', async () => {
  const reading = Promise.withResolvers<DirectoryChanges>()
  const { memory } = await loadMemory([reading.promise])
  const refreshed = memory.refresh()
  memory.note(4, { teams: [fromTeamRow({ ...team, blocked: 1, alias: 'both' })] })
  reading.resolve({ ...nothing, version: 3, teams: [{ ...team, alias: 'other', version: 3 }] })
  await refreshed
  expect(memory.findTeam('team-1')).toMatchObject({ blocked: true, alias: 'both' })
})

// Fails if the number of each own change is adopted.
test('the version stays below a change of another process that has not been read yet', async () => {
  const { memory, asked } = await loadMemory([])
  memory.note(3, { keys: [fromKeyRow({ ...key, blocked: 1 })] })
  expect(memory.version()).toBe(3)
  memory.note(5, { keys: [fromKeyRow({ ...key, blocked: 0 })] })
  expect(memory.version()).toBe(3)
  await memory.refresh()
  expect(asked).toEqual([null, 3])
})

test('unchanged objects keep their identity across reads', async () => {
  const { memory } = await loadMemory([{ ...nothing, version: 3, teams: [team], keys: [key] }])
  const before = memory.findKey('key-1')
  await memory.refresh()
  expect(memory.findKey('key-1')).toBe(before)
  expect(memory.version()).toBe(3)
})

test('a database that has gone back, as after a failover with lost changes, is trusted', async () => {
  const { memory } = await loadMemory([{ ...whole, version: 1, keys: [] }])
  await memory.reload()
  expect([memory.version(), memory.keys()]).toEqual([1, []])
})

test('a failed read changes nothing, and the next one is tried', async () => {
  const { memory } = await loadMemory([
    Promise.reject(new Error('away')),
    { ...nothing, version: 3, deletedKeys: [{ keyHash: 'key-1', version: 3 }] },
  ])
  expect(await memory.refresh().catch((error: Error) => error.message)).toBe('away')
  expect(memory.keys()).toHaveLength(1)
  await memory.refresh()
  expect(memory.keys()).toEqual([])
})
