// The hash over all logs, compared with the tools that a person would use.
import { expect, test } from 'bun:test'
import { headOfHeads } from './head-of-heads.ts'

const heads = [
  { teamId: 'b', headChain: 'f'.repeat(64) },
  { teamId: 'team-10', headChain: '1'.repeat(64) },
  { teamId: 'a', headChain: '0'.repeat(64) },
  { teamId: 'team-1', headChain: '2'.repeat(64) },
]

test('equals the output of sort and sha256sum for the lines', async () => {
  const lines = heads.map(({ teamId, headChain }) => `${teamId} ${headChain}`).join('\n')
  const child = Bun.spawn(['sh', '-c', 'LC_ALL=C sort | sha256sum'], {
    stdin: Buffer.from(`${lines}\n`),
    stdout: 'pipe',
  })
  expect(`${headOfHeads(heads)}  -\n`).toBe(await new Response(child.stdout).text())
})

test('does not depend on the order, and changes with any head', () => {
  expect(headOfHeads(heads.toReversed())).toBe(headOfHeads(heads))
  for (const [place, head] of heads.entries())
    expect(headOfHeads(heads.with(place, { ...head, headChain: '3'.repeat(64) }))).not.toBe(
      headOfHeads(heads),
    )
})
