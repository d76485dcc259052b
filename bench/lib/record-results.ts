// Writes the results of a measurement to bench/results/, with a description of the machine.
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../results', import.meta.url))

/** Replaces `bench/results/<name>.json`. */
export function recordResults(name: string, settings: object, rows: readonly object[]): void {
  mkdirSync(folder, { recursive: true })
  const machine = {
    processor: cpus()[0]?.model,
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    bun: Bun.version,
    date: new Date().toISOString().slice(0, 10),
  }
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify({ machine, settings, rows }, null, 2)}\n`)
}
