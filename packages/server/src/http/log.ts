// The program's log: one compact JSON line per request, written off the serving path; secrets never reach it.
import { writeSync } from 'node:fs'
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { prettyFactory } from 'pino-pretty'
import { createFastLogAccess, type LogAccess } from './log-access.ts'
import { createLogOutput } from './log-output.ts'

export type Log = Logger

export type LogOptions = {
  /** `trace`, `debug`, `info`, `warn`, `error` or `silent`. */
  readonly level: string
  /** For a terminal: coloured text instead of JSON. */
  readonly pretty: boolean
  /** Where lines go instead of standard output; for tests. */
  readonly destination?: DestinationStream
}

export type OpenLog = {
  readonly log: Log
  /** Writes the line of a request. */
  readonly logAccess: LogAccess
  /** Lines that could not be written. */
  readonly droppedLines: () => number
  /** Writes waiting lines before the exit. */
  readonly close: () => Promise<void>
}

/** A line that cannot be written is dropped: it stops neither serving nor the exit. */
export function createLog(options: LogOptions): OpenLog {
  const settings = buildSettings(options.level)
  const { destination } = options
  const output =
    destination !== undefined
      ? { write: (line: string) => destination.write(line), dropped: () => 0, close: async () => undefined }
      : options.pretty
        ? createTerminalOutput()
        : createLogOutput(1)
  const log = pino(settings, output)
  const logAccess = createFastLogAccess(log, output, Date.now)
  return { log, logAccess, droppedLines: output.dropped, close: output.close }
}

/** Line by line, at once: someone is watching. */
function createTerminalOutput() {
  const format = prettyFactory({ colorize: true })
  let dropped = 0
  return {
    write: (line: string): void => {
      try {
        writeSync(1, format(line))
      } catch {
        // The terminal has been closed, or is stopped.
        dropped += 1
      }
    },
    dropped: () => dropped,
    close: async () => undefined,
  }
}

function buildSettings(level: string): LoggerOptions {
  return {
    level,
    base: null,
    // An error's own members may contain anything (request headers, for example), so only these are written. `redact` would walk each
    // line; serializers look at named members only, and the line of a request has none of these.
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
