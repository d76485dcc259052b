// A gateway's surroundings in which every call of every dependency can be made to fail, on real limits and a real ledger writer.
import { unavailable } from '@fairgate/contracts/errors/refusals.ts'
import { emptyEvent } from '../../../directory/event/event.ts'
import type { Charge } from '../../../ledger/charge.ts'
import { createMemoryLimits } from '../../../limits/memory/create-memory-limits.ts'
import type { Decision, Hold } from '../../../limits/port.ts'
import { LedgerWriter } from '../../../store/ledger-writer.ts'
import type { LedgerBatch } from '../../../store/statements/ledger-batch.ts'
import { thisProcess } from '../../../store/testing/build-ledger-rows.ts'
import { nothingUncharged } from './nothing-uncharged.ts'

/**
 * The event at one step. `throw`: at once. `reject`: as a promise that rejects. `after`: when the step has been done. `leave`: the
 * client goes. `away`: the step and all later ones of the same kind fail until the world is healed.
 */
export type FaultKind = 'throw' | 'reject' | 'after' | 'leave' | 'away'
export type Fault = { readonly at: number; readonly kind: FaultKind }

export type FaultWorld = ReturnType<typeof createFaultWorld>

/** After one of these the upstream has answered. */
const answers = ['complete', 'call', 'next']

/** How the limits answer: synchronously, as in memory, or with promises, like an engine that asks a database. */
export type LimitsAnswer = 'at once' | 'later'

/** `isMute`: every report of an error fails as well. */
export function createFaultWorld(fault: Fault | null, isMute: boolean, answer: LimitsAnswer = 'at once') {
  const steps: string[] = []
  const client = new AbortController()
  const charges: Charge[] = []
  let awayName: string | null = null
  let hasAnswered = false
  let isTakenBack = false
  let tick = (): void => undefined
  const retries: (() => void)[] = []

  /** Returns the failure of this step. */
  const step = (name: string): FaultKind | null => {
    steps.push(name)
    if (awayName === name) return 'throw'
    if (fault === null || steps.length !== fault.at) return null
    if (fault.kind === 'leave') {
      client.abort()
      return null
    }
    if (fault.kind === 'away') awayName = name
    return fault.kind
  }
  const failure = (name: string) => new Error(`A fault at ${name}.`)

  /** `call` as a step that may fail. */
  const sync =
    <Arguments extends unknown[], Result>(name: string, call: (...given: Arguments) => Result) =>
    (...given: Arguments): Result => {
      const kind = step(name)
      if (kind !== null && kind !== 'after') throw failure(name)
      const result = call(...given)
      if (kind === 'after') throw failure(name)
      return result
    }
  const later =
    <Arguments extends unknown[], Result>(name: string, call: (...given: Arguments) => Promise<Result>) =>
    (...given: Arguments): Promise<Result> => {
      const kind = step(name)
      if (kind === 'throw') throw failure(name)
      if (kind === 'reject' || kind === 'away') return Promise.reject(failure(name))
      return call(...given).then(result => {
        if (kind === 'after') throw failure(name)
        hasAnswered ||= answers.includes(name)
        return result
      })
    }

  const limits = createMemoryLimits({ clock: () => 1000 })
  const writer = new LedgerWriter({
    process: () => thisProcess,
    // The store always returns promises, on every engine.
    commit: async (batch: LedgerBatch) => {
      const kind = step('commit')
      if (kind === 'throw' || kind === 'reject' || kind === 'away') throw failure('commit')
      charges.push(...batch.charges.filter(row => !charges.some(({ callId }) => callId === row.callId)))
      if (kind === 'after') throw failure('commit')
    },
    every: (_, run) => {
      tick = run
      return () => undefined
    },
    gatherWindows: () => null,
    reportWindowFailure: () => undefined,
    observeCommit: () => undefined,
    reportFailure: () => undefined,
    monotonicMs: () => 0,
    nextTurn: () => Promise.resolve(),
    after: (_milliseconds, run) => run(),
  })
  const decideLater = async (given: Parameters<typeof limits.admit>, kind: FaultKind | null) => {
    await Promise.resolve()
    if (kind !== null) throw unavailable(1)
    return limits.admit(...given)
  }
  const releaseLater = async (hold: Hold): Promise<void> => {
    const kind = step('release')
    await Promise.resolve()
    // The engine continues by itself, no matter what it reports.
    limits.release(hold)
    if (kind !== null) throw failure('release')
  }
  const turn = async (): Promise<void> => {
    for (let count = 0; count < 12; count += 1) await new Promise(resolve => setImmediate(resolve))
  }

  return {
    steps,
    client,
    charges,
    limits,
    sync,
    later,
    turn,
    /** The upstream has answered: from here on the call costs something. */
    hasAnswered: () => hasAnswered,
    /** The charge has been refunded. */
    takeBack: (): void => {
      isTakenBack = true
    },
    isTakenBack: () => isTakenBack,
    countStreams: () => writer.countStreams(),
    /** Everything works again, and all pending retries have run. */
    heal: async (): Promise<void> => {
      awayName = null
      for (let round = 0; round < 3; round += 1) {
        await turn()
        tick()
        for (const retry of retries.splice(0)) retry()
      }
      await turn()
    },
    dependencies: {
      limits: {
        ...limits,
        // An admission that fails has taken nothing: it fails before.
        admit: (...given: Parameters<typeof limits.admit>): Decision | Promise<Decision> => {
          const kind = step('admit')
          if (answer === 'later') return decideLater(given, kind)
          if (kind !== null) throw failure('admit')
          return limits.admit(...given)
        },
        release: answer === 'later' ? releaseLater : limits.release,
      },
      writer: {
        charge: writer.charge.bind(writer),
        openStream: later('openStream', writer.openStream.bind(writer)),
        dropStream: later('dropStream', writer.dropStream.bind(writer)),
      },
      digestTexts: sync('digestTexts', () => null),
      uncharged: nothingUncharged,
      isLedgerHealthy: sync('isLedgerHealthy', () => true),
      observeRefusal: sync('observeRefusal', () => undefined),
      observeCharge: sync('observeCharge', () => undefined),
      event: () => emptyEvent,
      clock: sync('clock', () => 1000),
      reportError: sync('reportError', () => {
        if (isMute) throw new Error('No one listens.')
      }),
      after: () => () => undefined,
      waitToRetry: () =>
        new Promise<boolean>(resolve => {
          retries.push(() => resolve(true))
        }),
    },
  }
}
