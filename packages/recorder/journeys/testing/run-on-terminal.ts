// Runs the recorder as a person at a terminal does, through `script`, which gives a program its own terminal.
import { readdirSync, readFileSync } from 'node:fs'
import { recorderFile } from './recorder-program.ts'
import type { WorkPlace } from './work-place.ts'

export type TerminalSession = {
  readonly code: number
  /** Everything that appeared on the screen. */
  readonly screen: string
  /** The command lines of all processes at the moment after each answer. */
  readonly commandLines: readonly string[]
}

export type TerminalOptions = {
  readonly columns?: number
  readonly rows?: number
  /** Default: `dumb`. */
  readonly variables?: Readonly<Record<string, string>>
}

/** Each answer is typed once its question has appeared after the previous one. */
export async function runOnTerminal(
  place: WorkPlace,
  commandArguments: readonly string[],
  answers: readonly (readonly [question: string, answer: string])[],
  { columns = 80, rows = 24, variables = {} }: TerminalOptions = {},
): Promise<TerminalSession> {
  const words = ['node', recorderFile, ...commandArguments].map(word => `'${word}'`).join(' ')
  const line = `stty cols ${columns} rows ${rows}; ${words}`
  const child = Bun.spawn(['script', '-qec', line, '/dev/null'], {
    cwd: place.root,
    env: { ...place.variables, TERM: 'dumb', ...variables },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  let screen = ''
  let seen = 0
  const waiting = [...answers]
  const commandLines: string[] = []
  for await (const bytes of child.stdout) {
    screen += Buffer.from(bytes).toString('utf8')
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      const at = screen.indexOf(next[0], seen)
      if (at < 0) break
      seen = at + next[0].length
      waiting.shift()
      child.stdin.write(next[1])
      child.stdin.flush()
      commandLines.push(...listCommandLines())
    }
  }
  return { code: await child.exited, screen, commandLines }
}

function listCommandLines(): string[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(name => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8')
      } catch {
        // The process has ended meanwhile.
        return ''
      }
    })
}
