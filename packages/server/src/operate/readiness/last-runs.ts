// Records when this machine last made a backup and rehearsed: one small file in the data folder, written by the command line and read by the server.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'

const moment = Type.Optional(Type.String({ description: 'ISO 8601 in UTC' }))
const lastRunsSchema = Type.Object({ backup: moment, rehearsal: moment })

export type LastRuns = Static<typeof lastRunsSchema>

const fileIn = (dataFolder: string) => join(dataFolder, 'last-runs.json')

/** Empty if there is no such file, or Fairgate did not write it: nothing depends on it. */
export function readLastRuns(dataFolder: string): LastRuns {
  try {
    const value: unknown = JSON.parse(readFileSync(fileIn(dataFolder), 'utf8'))
    return Value.Check(lastRunsSchema, value) ? value : {}
  } catch {
    return {}
  }
}

/** Does nothing if there is no data folder, because then the server runs elsewhere. Throws if the file cannot be written. */
export function noteRun(dataFolder: string, run: keyof LastRuns, at: Date): void {
  if (!existsSync(dataFolder)) return
  const path = fileIn(dataFolder)
  const text = JSON.stringify({ ...readLastRuns(dataFolder), [run]: at.toISOString() })
  writeFileSync(`${path}.new`, `${text}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
