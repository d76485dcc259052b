// Each planted fault finds its code by text. The text must still be there, or the fault would no longer be tried.
import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { eventMutations } from './event-mutations.ts'
import { type Edit, mutations } from './mutations.ts'
import { sharedMutations } from './shared-mutations.ts'

const server = resolve(import.meta.dir, '..')
const all = [...mutations, ...sharedMutations, ...eventMutations]

test('the text of every planted fault occurs exactly once in its file', () => {
  const source = resolve(server, 'src')
  const texts = new Map(all.map(({ file }) => [file, readFileSync(resolve(source, file), 'utf8')]))
  const isMisplaced = (file: string, { find }: Edit) => texts.get(file)?.split(find).length !== 2
  const misplaced = all.flatMap(({ file, name, also = [], ...first }) =>
    [first, ...also].filter(edit => isMisplaced(file, edit)).map(({ find }) => `${file}: ${name}: ${find}`),
  )
  expect(misplaced).toEqual([])
})

test('every suite that must notice a fault exists', () => {
  const suites = new Set(all.flatMap(({ noticedBy = [] }) => noticedBy.map(({ suite }) => suite)))
  expect([...suites].filter(suite => !existsSync(resolve(server, suite)))).toEqual([])
})
