// Runs a vendor simulator as a process: reads SANDBOX_PORT (4010) and SANDBOX_KEYS (comma-separated; `sandbox-key`), stops on a signal.
import type { Sandbox, SandboxOptions } from './start-sandbox.ts'

type Running = Pick<Sandbox, 'url' | 'stop'>
type Start = (options: Pick<SandboxOptions, 'port' | 'keys'>) => Running | Promise<Running>

export async function runSandbox(start: Start): Promise<void> {
  const port = Number(process.env.SANDBOX_PORT ?? 4010)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    console.error('SANDBOX_PORT must be a port number.')
    process.exit(2)
  }
  const keys = (process.env.SANDBOX_KEYS ?? 'sandbox-key').split(',')
  const { url, stop } = await start({ port, keys })
  console.log(`Sandbox at ${url}, keys ${keys.join(', ')}. Counters: ${url}/sandbox/counters`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      void stop().then(() => process.exit(0))
    })
  }
}
