// Opens the readers of calls: their record, and how much of it the logs cover.
import { setImmediate } from 'node:timers/promises'
import type { Directory } from '../directory/create-directory.ts'
import { createDigester } from '../evidence/create-digester.ts'
import { readJoinRules, shippedJoinRules } from '../evidence/read-join-rules.ts'
import type { World } from '../world/world.ts'
import { createCallsReader } from './calls-reader.ts'
import { CoverageReader } from './coverage-reader.ts'

export type Records = ReturnType<typeof openRecords>

export function openRecords({ secrets, store: { read }, clock }: World, directory: Directory) {
  const digestTexts = createDigester(secrets.joinKey, readJoinRules(shippedJoinRules))
  return {
    digestTexts,
    calls: createCallsReader(read, directory),
    coverage: new CoverageReader({ read, digestTexts, clock, pause: setImmediate }),
  }
}
