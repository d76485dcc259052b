// `npm run smoke`: starts the server as `npm start` does, loads the console, makes one chat call and stops. Prints one line, and
// before a failure also the server's output. The exit code is 0 or 1.
import { fileURLToPath } from 'node:url'
import { callModel, loadPage, startServer } from './testing/start-and-call.mjs'

const started = Date.now()
try {
  const server = await startServer(
    [process.execPath, 'scripts/fairgate.mjs', 'serve'],
    fileURLToPath(new URL('..', import.meta.url)),
  )
  try {
    const cost = await callModel(server)
    await loadPage(`${server.admin}/console`)
    const seconds = ((Date.now() - started) / 1000).toFixed(1)
    console.log(`ok: ready, the console loads, a chat call cost $${cost}; ${seconds} s in total`)
  } finally {
    await server.stop()
  }
} catch (error) {
  if (error.cause) console.error(error.cause)
  console.log(`FAILED: ${error.message}`)
  process.exitCode = 1
}
