// `npm test` and `npm run test:full`: run suites in parallel and end with one plain line of totals; a skipped test counts as a failure.
//
// The full run has only the long campaigns (`journeys/full`), which the other leaves out.
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const campaigns = 'packages/server/journeys/full'
const asked = process.argv.slice(2)
const isFull = asked[0] === '--full'
const selection = isFull ? [campaigns] : [`--path-ignore-patterns=${campaigns}/**`, ...asked]

const command = [process.execPath, 'test', '--parallel', '--only-failures', '--timeout=60000', ...selection]
const child = Bun.spawn(command, {
  cwd: root,
  // A developer's own settings must not reach the servers that tests start.
  env: Object.fromEntries(
    Object.entries({ ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: '65535' }).filter(
      ([name]) => !/^(FAIRGATE_|VENDOR_)/.test(name),
    ),
  ),
  stdout: 'inherit',
  stderr: 'pipe',
})

let tail = ''
const decoder = new TextDecoder()
for await (const bytes of child.stderr) {
  const text = decoder.decode(bytes, { stream: true })
  process.stderr.write(text)
  tail = (tail + text).slice(-4000)
}
const code = await child.exited

const count = (word: string) => Number(new RegExp(`^\\s*(\\d+) ${word}$`, 'm').exec(tail)?.[1] ?? 0)
const passed = count('pass')
const skipped = count('skip') + count('todo')
// A suite that broke before its first test has no failed test, only an exit code.
const failed = Math.max(count('fail'), code === 0 ? 0 : 1)
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
process.exit(failed > 0 || skipped > 0 || passed === 0 ? 1 : 0)
