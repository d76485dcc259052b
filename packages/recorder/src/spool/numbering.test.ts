// Numbers of entries on a disk that other processes change between any two steps.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Files } from './files.ts'
import { layOut } from './layout.ts'
import { takeCloneId, takeMark } from './numbering.ts'
import { createMemoryFiles } from './testing/memory-files.ts'

const layout = layOut('/repo/.git/fairgate')

function openDisk() {
  const disk = createMemoryFiles(() => 0)
  disk.makeFolder(layout.sequence)
  let random = 0
  const dependencies = (files: Files) => ({
    files,
    layout,
    random: () => {
      random += 1
      return random / 1e6
    },
    writeAtomically: (path: string, data: string) => {
      disk.remove(path)
      disk.writeNew(path, data)
    },
  })
  return { disk, dependencies, take: () => takeMark(dependencies(disk)) }
}

test('a clone has one id, and its numbers ascend without a gap, even after files were removed', () => {
  const { disk, take } = openDisk()
  const marks = Array.from({ length: 500 }, take)
  expect(marks.map(({ n }) => n)).toEqual(Array.from({ length: 500 }, (_, index) => index + 1))
  expect(new Set(marks.map(({ id }) => id)).size).toBe(1)
  expect(disk.list(layout.sequence).length).toBeLessThan(200)
})

// Shown to fail by a process that does not look again after it has created the file of its number.
test('a process that sleeps anywhere while others take numbers takes none that was given before', () => {
  const sleep = fc.record({ at: fc.integer({ min: 0, max: 6 }), taken: fc.integer({ min: 1, max: 400 }) })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 200 }), fc.array(sleep, { maxLength: 3 }), (before, sleeps) => {
      const { disk, dependencies, take } = openDisk()
      const given = Array.from({ length: before }, () => take().n)
      let steps = 0
      const others = () => {
        for (const { at, taken } of sleeps)
          if (at === steps) given.push(...Array.from({ length: taken }, () => take().n))
        steps += 1
      }
      const slow: Files = {
        ...disk,
        list: path => {
          others()
          return disk.list(path)
        },
        createMark: path => {
          others()
          return disk.createMark(path)
        },
      }
      given.push(takeMark(dependencies(slow)).n)
      given.push(take().n, take().n)
      expect(new Set(given).size).toBe(given.length)
    }),
  )
})

// Shown to fail by a process that replaces the file of the id instead of creating it.
test('of several processes that find no id, all take that of the first', () => {
  const { disk, dependencies } = openDisk()
  let first = ''
  const late: Files = {
    ...disk,
    read: path => {
      const found = disk.read(path)
      first ||= takeCloneId(dependencies(disk))
      return found
    },
  }
  expect(takeCloneId(dependencies(late))).toBe(first)
  expect(first).toMatch(/^[0-9a-f]{8}$/)
})

test.each(['', '0123', 'not a number'])('an id that is torn (%p) is made again, once', torn => {
  const { disk, dependencies } = openDisk()
  disk.writeNew(layout.cloneId, torn)
  const id = takeCloneId(dependencies(disk))
  expect(id).toMatch(/^[0-9a-f]{8}$/)
  expect(takeCloneId(dependencies(disk))).toBe(id)
})
