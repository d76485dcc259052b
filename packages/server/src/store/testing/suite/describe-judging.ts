// Engine tests: the record of judging. It has no gaps, and one of two writers who have read the same is refused.
import { expect, test } from 'bun:test'
import type { Current } from './store-actions.ts'

const record = (body: string) => ({ kind: 'setup', at: 1000, actor: 'admin', body })

export function describeJudging(current: Current): void {
  test('records are numbered in order, and read on from any of them', async () => {
    const { read, write } = current()
    expect(await write.appendJudging({ after: 0, records: [record('1'), record('2')], audit: [] })).toBe(true)
    expect(await write.appendJudging({ after: 2, records: [record('3')], audit: [] })).toBe(true)
    const rows = await read.readJudging({ after: 1 })
    expect(rows.map(({ seq, body }) => [seq, body])).toEqual([
      [2, '2'],
      [3, '3'],
    ])
  })

  test('of writers at once who have read the same, one writes all of its records and the others nothing', async () => {
    const { read, write } = current()
    const ended = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async name => ({
        name,
        isWritten: await write.appendJudging({
          after: 0,
          records: [record(`${name}1`), record(`${name}2`)],
          audit: [],
        }),
      })),
    )
    const winners = ended.filter(({ isWritten }) => isWritten).map(({ name }) => name)
    expect(winners).toHaveLength(1)
    const bodies = (await read.readJudging({ after: 0 })).map(({ body }) => body)
    expect(bodies).toEqual([`${winners[0]}1`, `${winners[0]}2`])
  })
}
