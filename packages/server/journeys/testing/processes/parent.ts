// The real parent with processes that are not Fairgate (member.ts next to this file). Its first argument is their number.
import { fileURLToPath } from 'node:url'
import { serveProcesses } from '../../../src/cli/serve-processes.ts'

await serveProcesses({
  // The parent looks only at whether there is a vendor, of which it needs no sandbox then.
  variables: { ...process.env, VENDOR_API_KEY: 'key-of-nobody' },
  count: Number(process.argv[2]),
  command: [process.execPath, fileURLToPath(new URL('member.ts', import.meta.url))],
  patience: { startMs: 3000, steadyMs: 1500, firstPauseMs: 20, longestPauseMs: 200, maxDeaths: 4 },
})
