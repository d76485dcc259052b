// Runs the sandbox by itself: SANDBOX_PORT (4010), SANDBOX_KEYS (comma-separated; `sandbox-key`), SANDBOX_HOSTILE=1 for the hostile vendor.
import { startHostileVendor } from './hostile/start-hostile-vendor.ts'
import { startSandbox } from './start-sandbox.ts'

const port = Number(process.env.SANDBOX_PORT ?? 4010)
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  console.error('SANDBOX_PORT must be a port number.')
  process.exit(2)
}
const keys = (process.env.SANDBOX_KEYS ?? 'sandbox-key').split(',')
const sandbox =
  process.env.SANDBOX_HOSTILE === '1'
    ? await startHostileVendor({ port, keys })
    : startSandbox({ port, keys })
console.log(`Sandbox at ${sandbox.url}, keys ${keys.join(', ')}. Counters: ${sandbox.url}/sandbox/counters`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    void sandbox.stop().then(() => process.exit(0))
  })
}
