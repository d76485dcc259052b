// The contract of every limits engine: slots, windows, budgets, periods and events, alone and concurrently.
import { describe } from 'bun:test'
import { describeBudgets } from './describe-budgets.ts'
import { describeCallersAtOnce } from './describe-callers-at-once.ts'
import { describeEvent } from './describe-event.ts'
import { describePeriods } from './describe-periods.ts'
import { describeSeveralProcesses } from './describe-several-processes.ts'
import { describeSlots } from './describe-slots.ts'
import { describeWindows } from './describe-windows.ts'
import type { CreateEngine } from './engine.ts'
import { createSetUp, type Suite } from './set-up-engine.ts'

/** Declares the suite; call it at the top of a test file. `place`: where the engine keeps its state. */
export function describeLimits(
  name: string,
  place: 'process' | 'database',
  createEngine: CreateEngine,
): void {
  const isShared = place === 'database'
  const suite: Suite = { isShared, setUp: createSetUp(createEngine) }
  describe(name, () => {
    describeSlots(suite)
    describeWindows(suite)
    describeBudgets(suite)
    describePeriods(suite)
    describeEvent(suite)
    describeCallersAtOnce(suite)
  })
  if (isShared) describeSeveralProcesses(name, createEngine)
}
