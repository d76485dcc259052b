// `npm run demo`: shows a filled example on its own server and never touches the data of a real one. Ctrl-C removes everything.
import { tmpdir } from 'node:os'
import { onInterrupt } from './on-interrupt.ts'
import { startDemo } from './start-demo.ts'

// Keeps the temporary data private under any shell umask.
process.umask(0o077)

const interrupted = Promise.withResolvers<void>()
onInterrupt(interrupted.resolve)
try {
  console.error('Starting a server with sample data …')
  const { filled, links, stop } = await startDemo(process.env, tmpdir())
  const { teams, members, calls, refused, entries } = filled
  console.log(`Sample data: ${teams} teams with ${members} members, ${calls} calls (${refused} of them refused) and ${entries} log entries.

Sign-in links (each works once):
  console    ${links.console}
  team page  ${links.teamPage}

Press Ctrl-C to stop the server and remove its data.`)
  await interrupted.promise
  await stop()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
