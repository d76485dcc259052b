// The program's log: one compact JSON line per request, written off the serving path; secrets never reach it.
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import pretty from 'pino-pretty'

export type Log = Logger

export type LogOptions = {
  /** `trace`, `debug`, `info`, `warn`, `error` or `silent`. */
  readonly level: string
  /** For a terminal: coloured text instead of JSON. */
  readonly pretty: boolean
  /** Where lines go instead of standard output; for tests. */
  readonly destination?: DestinationStream
}

/** Off a terminal lines are gathered for up to 100 ms; `close` writes what waits, before the exit. */
export function createLog(options: LogOptions): { readonly log: Log; readonly close: () => void } {
  const settings = buildSettings(options.level)
  if (options.destination !== undefined)
    return { log: pino(settings, options.destination), close: () => undefined }
  if (options.pretty) return { log: pino(settings, pretty({ sync: true })), close: () => undefined }
  const { write, close } = gatherLines()
  return { log: pino(settings, { write }), close }
}

const gatheredCharacters = 65_536

/** pino's own buffer measures all that it holds for each line: 2.8 µs of the 6.5 that a line took, against 0.7 here. */
function gatherLines() {
  let gathered = ''
  const pass = () => {
    if (gathered === '') return
    destination.write(gathered)
    gathered = ''
  }
  // Before the destination's own listener, which writes what it has been given.
  process.on('exit', pass)
  const timer = setInterval(pass, 100)
  timer.unref()
  const destination = pino.destination({ dest: 1, sync: false })
  return {
    write: (line: string) => {
      gathered += line
      if (gathered.length >= gatheredCharacters) pass()
    },
    close: () => {
      clearInterval(timer)
      process.off('exit', pass)
      pass()
      destination.flushSync()
    },
  }
}

function buildSettings(level: string): LoggerOptions {
  return {
    level,
    base: null,
    // An error's own members may hold anything (request headers, for one): only these are written. `redact` would walk
    // each line; serializers look at named members only, and the line of a request has none of these.
    serializers: {
      err: describeError,
      error: describeIfError,
      headers: hideSecrets,
      request: describeRequest,
    },
  }
}

type ErrorDescription = { type: string; message: string; stack?: string; code?: string; cause?: unknown }

function describeError(thrown: unknown, level = 0): unknown {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: String(thrown) }
  const description: ErrorDescription = { type: thrown.name, message: thrown.message }
  if (thrown.stack !== undefined) description.stack = thrown.stack
  if ('code' in thrown && typeof thrown.code === 'string') description.code = thrown.code
  if (thrown.cause !== undefined && level < 5) description.cause = describeError(thrown.cause, level + 1)
  return description
}

function describeIfError(value: unknown): unknown {
  return value instanceof Error ? describeError(value) : value
}

const secretHeader = /authorization|api-key|cookie|token|secret/i

function hideSecrets(headers: unknown): unknown {
  if (typeof headers !== 'object' || headers === null) return undefined
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, secretHeader.test(name) ? '[hidden]' : value]),
  )
}

/** Neither query string nor headers nor body. */
function describeRequest(request: unknown): unknown {
  return request instanceof Request ? `${request.method} ${new URL(request.url).pathname}` : undefined
}
