// A dry run behaves like a paid call: it waits in the same way if the ledger is only briefly unavailable.
import { expect, test } from 'bun:test'
import { emptyEvent } from '../../directory/event/event.ts'
import { buildCall } from '../../http/testing/build-call.ts'
import { createMemoryLimits } from '../../limits/memory/create-memory-limits.ts'
import { buildKey, buildModel, buildTeam } from '../../limits/testing/build-parties.ts'
import { previewCall } from './dry-run.ts'

const plan = {
  model: buildModel(),
  endpoint: 'chat',
  tokens: { input: 1, output: 1 },
  estimate: { kind: 'none' },
} as const

// Shown to fail without the wait: a busy process on PostgreSQL refused dry runs of calls that it would have admitted.
test.each([
  ['absent', undefined, 'unavailable'],
  ['in vain', async () => false, 'unavailable'],
  ['worth it', async () => true, 'previewed'],
])(
  'while the ledger cannot be written there is no preview, unless waiting helps: %s',
  async (_, awaitLedgerHealth, expected) => {
    const limits = createMemoryLimits({ clock: () => 0 })
    const dependencies = {
      limits,
      isLedgerHealthy: () => false,
      ...(awaitLedgerHealth === undefined ? {} : { awaitLedgerHealth }),
      event: () => emptyEvent,
      clock: () => 0,
      observeRefusal: () => undefined,
    }
    const call = buildCall({ body: {} })
    const caller = { team: buildTeam({ teamId: 'red' }), key: buildKey() }
    const outcome = await previewCall(dependencies, caller, call, plan).catch(
      (thrown: { code?: string; preview?: object }) => thrown.code ?? (thrown.preview ? 'previewed' : null),
    )
    expect(outcome as unknown).toBe(expected)
    expect(limits.totals().slots).toBe(0)
  },
)
