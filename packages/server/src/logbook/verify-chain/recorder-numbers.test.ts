// Missing and repeated numbers, compared with sets, and marks of any kind that a team may send.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { RecorderNumbers } from './recorder-numbers.ts'

const report = (entries: readonly unknown[]) => {
  const numbers = new RecorderNumbers()
  for (const entry of entries) numbers.see(entry)
  return numbers.report()
}
const mark = (id: string, n: number) => ({ tool: 'codex', recorder: { id, n } })

test('finds missing and repeated numbers of each clone, in any order', () => {
  const entries = [3, 1, 2, 7, 2].map(n => mark('0000000a', n))
  expect(report([...entries, mark('0000000b', 5), mark('0000000b', 6)])).toEqual([
    { id: '0000000a', entries: 5, first: 1, last: 7, missing: 3, repeated: 1 },
    { id: '0000000b', entries: 2, first: 5, last: 6, missing: 0, repeated: 0 },
  ])
})

test('counts like sets', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 80 }), list => {
      const seen = new Set(list)
      const [first, last] = [Math.min(...list), Math.max(...list)]
      const missing = last - first + 1 - seen.size
      expect(report(list.map(n => mark('0000000a', n)))).toEqual([
        { id: '0000000a', entries: list.length, first, last, missing, repeated: list.length - seen.size },
      ])
    }),
  )
})

test.each([
  [null],
  ['text'],
  [{}],
  [{ recorder: null }],
  [{ recorder: 'x' }],
  [{ recorder: { id: 'X0000000', n: 1 } }],
  [{ recorder: { id: '0000000a' } }],
  [{ recorder: { id: '0000000a', n: 0 } }],
  [{ recorder: { id: '0000000a', n: 1.5 } }],
  [{ recorder: { id: '0000000a', n: '1' } }],
  [{ recorder: { id: '0000000a', n: 2 ** 53 } }],
  [JSON.parse('{"__proto__":{"recorder":{"id":"0000000a","n":1}}}')],
])('%j is skipped', entry => {
  expect(report([entry])).toEqual([])
})

test('endless gaps or clones from a team do not fill the memory', () => {
  const gaps = Array.from({ length: 30_000 }, (_, index) => mark('0000000a', 2 * index + 1))
  expect(report([...gaps, mark('0000000b', 1)]).map(({ id }) => id)).toEqual(['0000000b'])
  const clones = Array.from({ length: 3000 }, (_, index) => mark(index.toString(16).padStart(8, '0'), 1))
  expect(report(clones)).toHaveLength(1000)
})
