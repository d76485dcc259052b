// Runs the server, and replaces it at SIGUSR2 with one that has the new code and settings. A process is listening at all times.
// A server with multiple processes replaces them itself and only gets the signals.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { bunEnvironment, findBun } from './bun.mjs'

/** `args`: the program, `serve` and its options. Exits with the exit code of the last server. */
export function runServer(args) {
  let server = start([])
  /** The new server, until the old one has ended. */
  let successor = null
  /** Whether the server was asked to leave. It then ends in any case. */
  let isLeaving = false
  let isStopping = false
  let replacesItself = false

  function start(more) {
    const child = spawn(findBun(), [...args, ...more], {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env: bunEnvironment(),
    })
    child.on('message', message => {
      if (child === server && message?.fairgate === 'replaces itself') replacesItself = true
    })
    child.on('exit', (code, signal) => noteEnd(child, signal ? 128 + constants.signals[signal] : code))
    return child
  }

  function noteEnd(child, code) {
    if (child === server && successor !== null) {
      if (code !== 0) console.error(`fairgate: the replaced server exited with ${code}.`)
      server = successor
      successor = null
      isLeaving = false
    } else if (child === successor) {
      successor = null
      const rest = isLeaving ? 'the current one is stopping too' : 'the current one keeps running'
      console.error(`fairgate: the new server exited with ${code}; ${rest}.`)
    } else process.exit(isLeaving && !isStopping ? 1 : code)
  }

  function handOver() {
    if (replacesItself) return server.kill('SIGUSR2')
    if (successor !== null || isLeaving || isStopping) {
      console.error(
        'fairgate: no new server was started, because one is already starting or this one is stopping.',
      )
      return
    }
    successor = start(['--take-over'])
    const next = successor
    next.on('message', message => {
      if (next !== successor || isLeaving) return
      // If only one can have the database, the new server waits for it. Otherwise both serve until the old one has let its clients move.
      if (message?.fairgate === 'waiting') server.kill('SIGUSR2')
      else if (message?.fairgate === 'serving') server.send({ fairgate: 'leave' }, () => undefined)
      else return
      isLeaving = true
    })
  }

  // On other systems two processes cannot share an address.
  if (process.platform === 'linux') process.on('SIGUSR2', handOver)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      if (signal !== 'SIGHUP') isStopping = true
      server.kill(signal)
      successor?.kill(signal)
    })
  // npm and npx forward a SIGTERM to their shell, which ends without forwarding it. The launcher then gets another parent and must stop the server.
  if (['start', 'npx'].includes(process.env.npm_lifecycle_event)) {
    const shell = process.ppid
    const look = setInterval(() => {
      if (process.ppid === shell) return
      clearInterval(look)
      process.kill(process.pid, 'SIGTERM')
    }, 250)
    look.unref()
  }
}
