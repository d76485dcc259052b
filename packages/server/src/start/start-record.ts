// Starts what stays on record: calls, what they cost, the entries of the logbook, and how calls and entries belong together.
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Directory } from '../directory/create-directory.ts'
import { createDigester } from '../evidence/create-digester.ts'
import { readJoinRules, shippedJoinRules } from '../evidence/read-join-rules.ts'
import { startCallRecord } from '../gateway/start-call-record.ts'
import type { Log } from '../http/log.ts'
import type { Metrics } from '../http/metrics.ts'
import { startSpend } from '../insight/start-spend.ts'
import type { Limits } from '../limits/port.ts'
import { startLogbook } from '../logbook/start-logbook.ts'
import { CallsReader } from '../record/calls-reader.ts'
import { CoverageReader } from '../record/coverage-reader.ts'
import type { Store } from '../store/store.ts'
import type { ServerTime } from '../world/server-time.ts'

export type RecordParts = {
  readonly config: Pick<Config, 'dataFolder' | 'settings'>
  readonly secrets: Pick<Secrets, 'joinKey'>
  readonly store: Store
  readonly directory: Directory
  readonly limits: Limits
  readonly time: Pick<ServerTime, 'clock' | 'stopwatch'>
  readonly metrics: Metrics
  readonly log: Log
}

export function startRecord(parts: RecordParts) {
  const { config, secrets, store, directory, limits, time, metrics, log } = parts
  const { settings, dataFolder } = config
  const { read } = store
  const { clock, stopwatch } = time
  const digestTexts = createDigester(secrets.joinKey, readJoinRules(shippedJoinRules))
  return {
    calls: new CallsReader({ read, directory }),
    callRecord: startCallRecord({ store, settings, digestTexts, clock, log }),
    spend: startSpend({
      store,
      directory,
      limits,
      clock,
      stopwatch,
      wait: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }).catch(() => undefined),
      random: Math.random,
      metrics,
      log,
    }),
    coverage: new CoverageReader({ read, digestTexts, clock, pause: setImmediate }),
    logbook: startLogbook({ store, dataFolder, clock, metrics, log }),
  }
}
