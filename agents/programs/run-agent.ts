// Runs an agent to its end, or kills it when it has had its time.

export type AgentRun = {
  readonly folder: string
  /** All of its environment. */
  readonly variables: Readonly<Record<string, string>>
  readonly longestMs: number
  /** What a person does while it runs. */
  readonly meanwhile?: (person: Person) => Promise<void>
  /** In its own interface, on a terminal. */
  readonly isOnScreen?: boolean
}

export type Person = {
  /** As Ctrl-C does where a program does not read the keys. */
  readonly interrupt: () => void
  readonly type: (keys: string) => void
  /** Resolves when the screen has shown the pattern, without white space, since the last text that was waited for. */
  readonly sees: (pattern: RegExp) => Promise<void>
  readonly hasEnded: () => boolean
}

export type EndedAgent = {
  readonly code: number
  /** What a person would have seen. */
  readonly text: string
  readonly seconds: number
  /** It had not ended by itself. */
  readonly isKilled: boolean
}

export async function runAgent(command: readonly string[], run: AgentRun): Promise<EndedAgent> {
  const { folder, variables, longestMs, meanwhile, isOnScreen = false } = run
  const begun = performance.now()
  const screen = createScreen()
  const child = Bun.spawn([...command], {
    cwd: folder,
    env: { ...variables, TERM: isOnScreen ? 'xterm-256color' : 'dumb', LANG: 'C.UTF-8' },
    detached: true,
    ...(isOnScreen
      ? { terminal: { cols: 120, rows: 40, data: (terminal, bytes) => screen.show(terminal, bytes) } }
      : { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' }),
  })
  // The whole group: some agents are a wrapper around the program, which would keep the output open.
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(-child.pid, name)
    } catch {
      // It has just ended.
    }
  }
  let isKilled = false
  const timer = setTimeout(() => {
    isKilled = true
    signal('SIGKILL')
  }, longestMs)
  const acted = meanwhile?.({
    interrupt: () => signal('SIGINT'),
    type: keys => child.terminal?.write(keys),
    sees: screen.sees,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
  })
  const [code, output, errors] = await Promise.all([
    child.exited,
    readAll(child.stdout),
    readAll(child.stderr),
  ])
  clearTimeout(timer)
  screen.end()
  await acted
  const text = isOnScreen ? screen.text() : `${output}${errors}`
  return { code, text, seconds: (performance.now() - begun) / 1000, isKilled }
}

async function readAll(stream: ReadableStream | null | undefined): Promise<string> {
  return stream ? await new Response(stream).text() : ''
}

/** The escape sequences of a terminal, and white space, which programs often write by moving the cursor. */
const invisible = /\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[=>78()][A-Z0-9]?|\s/g

/** A screen whose text is only ever added to. */
function createScreen() {
  let raw = ''
  let seen = 0
  let look = () => {}
  let isEnded = false
  const text = () => raw.replace(invisible, '')
  return {
    text,
    show: (terminal: Bun.Terminal, bytes: Uint8Array) => {
      const shown = Buffer.from(bytes).toString()
      raw += shown
      // It asks where the cursor is.
      if (shown.includes('\x1b[6n')) terminal.write('\x1b[1;1R')
      look()
    },
    /** Nothing more will be shown. */
    end: () => {
      isEnded = true
      look()
    },
    sees: (pattern: RegExp) =>
      new Promise<void>(resolve => {
        look = () => {
          const found = pattern.exec(text().slice(seen))
          if (found === null && !isEnded) return
          if (found !== null) seen += found.index + found[0].length
          resolve()
        }
        look()
      }),
  }
}
