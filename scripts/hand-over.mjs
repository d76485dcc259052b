// Runs the server, and replaces it at SIGUSR2 with a new one that has the new code and settings. A process is listening at every moment.
// A server of several processes replaces them by itself, and is only passed the signals.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { bunEnvironment, findBun } from './bun.mjs'

/** `args`: the program, `serve` and its options. Exits with the exit code of the last server. */
export function runServer(args) {
  let server = start([])
  /** The new server, until the old one has ended. */
  let successor = null
  /** Whether the server has been told to make room. It then ends in any case. */
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
      if (code !== 0) console.error(`fairgate: the server that was replaced ended with ${code}.`)
      server = successor
      successor = null
      isLeaving = false
    } else if (child === successor) {
      successor = null
      const rest = isLeaving ? 'the one in place is ending too' : 'the one in place goes on'
      console.error(`fairgate: the new server ended with ${code}; ${rest}.`)
    } else process.exit(isLeaving && !isStopping ? 1 : code)
  }

  function handOver() {
    if (replacesItself) return server.kill('SIGUSR2')
    if (successor !== null || isLeaving || isStopping) {
      console.error(
        'fairgate: no new server is put in place now: one is on its way, or this one is stopping.',
      )
      return
    }
    successor = start(['--take-over'])
    const next = successor
    next.on('message', message => {
      if (next !== successor || isLeaving) return
      // Where only one can have the database, the new server waits for it; else both serve until the old one has let its clients move.
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
  // npm and npx pass a SIGTERM on to their shell, which ends and passes on nothing: the launcher is left with another parent, and the server with it.
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
