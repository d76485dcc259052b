// Starts a separate simulated vendor for a measurement.
import { fileURLToPath } from 'node:url'
import { findFreePorts } from './run-fairgate.ts'

const entry = fileURLToPath(new URL('../../packages/sandbox/src/main.ts', import.meta.url))

export type BenchSandbox = { readonly url: string; readonly key: string; readonly stop: () => void }

/** It may still be starting when this returns. */
export function runSandbox(): BenchSandbox {
  const [port] = findFreePorts(1)
  const key = 'bench-key'
  const child = Bun.spawn([process.execPath, entry], {
    env: { ...process.env, SANDBOX_PORT: String(port), SANDBOX_KEYS: key },
    stdout: 'ignore',
    stderr: 'inherit',
  })
  return { url: `http://127.0.0.1:${port}`, key, stop: () => child.kill() }
}
