// Each planted fault names code by its text: it must still be there, or the fault would no longer be tried.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { mutations } from './mutations.ts'

test('the text of every planted fault stands exactly once in its file', () => {
  const source = resolve(import.meta.dir, '../..')
  const texts = new Map(mutations.map(({ file }) => [file, readFileSync(resolve(source, file), 'utf8')]))
  const misplaced = mutations.filter(({ file, find }) => texts.get(file)?.split(find).length !== 2)
  expect(misplaced.map(({ file, name, find }) => `${file}: ${name}: ${find}`)).toEqual([])
})
