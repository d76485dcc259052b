// Totals from the database as the limits load them: the spend of the period, never the lifetime's.
import { expect, test } from 'bun:test'
import type { OwnerTotal } from './memory/create-memory-limits.ts'
import { loadTotals } from './start-memory-limits.ts'

const rowOf = (owner: string) => ({
  teamId: 't',
  owner,
  periodStart: 1000,
  spent: 7,
  lifetime: 70,
})

test('each owner is loaded with the spend of its period', () => {
  const loaded: OwnerTotal[] = []
  const limits = { load: (totals: readonly OwnerTotal[]) => void loaded.push(...totals) }
  loadTotals(limits, [rowOf('team:a:b'), rowOf('key:k'), rowOf('key_model:k:vendor:model')])
  expect<unknown>(loaded).toEqual([
    { owner: { kind: 'team', teamId: 'a:b' }, periodStart: 1000, spent: 7 },
    { owner: { kind: 'key', teamId: 't', keyHash: 'k' }, periodStart: 1000, spent: 7 },
    {
      owner: { kind: 'key_model', teamId: 't', keyHash: 'k', modelId: 'vendor:model' },
      periodStart: 1000,
      spent: 7,
    },
  ])
})

test('an unknown owner is an error, so that no money is lost', () => {
  expect(() => loadTotals({ load: () => {} }, [rowOf('board:x')])).toThrow('unknown owner "board:x"')
})
