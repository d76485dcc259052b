// Runs the command line in process against a fake admin door that records its requests.
import { buildProgram, runProgram } from '../build-program.ts'
import type { ProgramDependencies } from '../dependencies.ts'

export const testAdminKey = 'admin-key-of-the-tests'

export type RecordedRequest = {
  readonly method: string
  readonly address: string
  readonly authorization: string | null
  readonly body: unknown
}

export type CliRun = {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  readonly requests: readonly RecordedRequest[]
}

/** Replies in turn: a Response unchanged, everything else as JSON with status 200. */
export async function runCli(
  commandArguments: readonly string[],
  replies: readonly unknown[] = [],
  changes: Partial<ProgramDependencies> = {},
): Promise<CliRun> {
  const requests: RecordedRequest[] = []
  const output: string[] = []
  const errors: string[] = []
  const waiting = [...replies]
  const writeError = (text: string) => void errors.push(text)
  const program = buildProgram({
    fetch: async (address, init) => {
      const request = new Request(address, init)
      const text = await request.text()
      requests.push({
        method: request.method,
        address,
        authorization: request.headers.get('authorization'),
        body: text === '' ? null : JSON.parse(text),
      })
      if (waiting.length === 0) throw new Error('The test gives no reply to this request.')
      const reply = waiting.shift()
      return reply instanceof Response ? reply : Response.json(reply)
    },
    writeOutput: text => void output.push(text),
    writeError,
    writeBytes: async bytes => {
      output.push(new TextDecoder().decode(bytes))
      return true
    },
    createFile: () => Promise.reject(new Error('The test writes no file.')),
    confirm: async () => null,
    isTerminal: { output: false, errors: false },
    layout: { width: null, height: null, isColoured: false },
    page: () => false,
    wait: () => Promise.reject(new Error('The test does not wait.')),
    stopwatch: () => 0,
    variables: { FAIRGATE_ADMIN_KEY: testAdminKey },
    readTextFile: () => Promise.reject(Object.assign(new Error('no such file'), { code: 'ENOENT' })),
    readInput: () => Promise.reject(new Error('The test has no input.')),
    serve: () => Promise.reject(new Error('The test does not serve.')),
    loadBackups: () => Promise.reject(new Error('The test has no backups.')),
    loadDoctor: () => Promise.reject(new Error('The test has no doctor.')),
    version: '9.8.7',
    ...changes,
  })
  const exitCode = await runProgram(program, commandArguments, writeError)
  return { exitCode, stdout: output.join(''), stderr: errors.join(''), requests }
}

/** The error reply of a door. */
export function refusal(status: number, code: string, message: string, param: string | null): Response {
  return Response.json({ error: { message, type: 'invalid_request_error', param, code } }, { status })
}
