// A participant's machine for one test: a home, a repository with a bare remote, and nothing of the developer's own settings.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { saveLogbookUrl, saveToken } from '../../src/config/settings.ts'
import { createFiles } from '../../src/spool/files.ts'
import { recorderFolder } from '../../src/spool/layout.ts'
import { openSpool, type Spool } from '../../src/spool/spool.ts'
import type { ToolName } from '../../src/tools/tool.ts'
import { type ProgramResult, recorderFile, runProgram, runRecorder } from './recorder-program.ts'
import { runEvent, runVerb } from './run-in-process.ts'

export const student = 'student@example.org'

export type WorkPlace = {
  readonly folder: string
  readonly home: string
  readonly root: string
  readonly variables: Readonly<Record<string, string>>
  readonly spool: () => Spool
  readonly git: (commandArguments: readonly string[], folder?: string) => Promise<ProgramResult>
  readonly recorder: (
    commandArguments: readonly string[],
    input?: string,
    variables?: Readonly<Record<string, string>>,
  ) => Promise<ProgramResult>
  /** The same without the start of Node. See `run-in-process.ts`. */
  readonly verb: (
    commandArguments: readonly string[],
    input?: string,
    variables?: Readonly<Record<string, string>>,
  ) => Promise<ProgramResult>
  /** Runs a hook. Fails the test unless the hook was silent and ended with 0. */
  readonly hook: (tool: string, event: string, payload: object | string) => Promise<void>
  /** Records an event without a hook's process. Fails the test unless it was recorded. */
  readonly event: (tool: ToolName, event: string, payload: object | string) => Promise<void>
  readonly connect: (logbookUrl: string, token: string) => void
  readonly pending: () => Record<string, unknown>[]
  /** Resolves when nothing waits and no sender is running. */
  readonly allSent: () => Promise<void>
  readonly write: (path: string, content: string | Uint8Array) => void
  readonly remove: () => void
}

export type WorkPlaceOptions = {
  /** False: a repository without that remote. */
  readonly origin?: boolean
  /** False: nothing is installed, not even the hook of git. */
  readonly hook?: boolean
  /** False: a push sends for as long as it takes, so that its output does not depend on how busy the machine is. */
  readonly hurried?: boolean
}

export async function createWorkPlace({
  origin = true,
  hook = true,
  hurried = false,
}: WorkPlaceOptions = {}): Promise<WorkPlace> {
  const folder = mkdtempSync(join(tmpdir(), 'fairgate-recorder-'))
  const [home, root, remote] = ['home', 'project', 'remotes/project.git'].map(name => join(folder, name))
  if (home === undefined || root === undefined || remote === undefined) throw new Error('unreachable')
  const variables = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    TZ: 'Asia/Seoul',
    ...(hurried ? {} : { FAIRGATE_PUSH_SECONDS: '3600' }),
  }
  const git = async (commandArguments: readonly string[], place: string = root) => {
    const result = await runProgram(['git', ...commandArguments], { folder: place, variables })
    if (result.code !== 0 && commandArguments[0] !== 'push')
      throw new Error(`git ${commandArguments.join(' ')}: ${result.errors}`)
    return result
  }
  const write: WorkPlace['write'] = (path, content) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
  write(
    join(home, '.gitconfig'),
    `[user]\n\tname = Student\n\temail = ${student}\n[init]\n\tdefaultBranch = main\n`,
  )
  mkdirSync(root)
  await git(['init', '-q', '--bare', remote], folder)
  await git(['init', '-q'])
  if (origin) await git(['remote', 'add', 'origin', remote])
  await git(['commit', '-q', '--allow-empty', '-m', 'first'])
  // Like an installed hook, it never fails, even when the recorder is gone.
  const hookPath = join(root, '.git', 'hooks', 'pre-push')
  if (hook) {
    write(hookPath, `#!/bin/sh\nnode "${recorderFile}" push "$@" || true\n`)
    chmodSync(hookPath, 0o755)
  }

  const spool = () =>
    openSpool(recorderFolder(join(root, '.git')), {
      files: createFiles(),
      now: () => new Date(),
      processId: process.pid,
      random: Math.random,
    })
  const recorder: WorkPlace['recorder'] = (commandArguments, input = '', own = variables) =>
    runRecorder(commandArguments, { folder: root, variables: own, input })
  return {
    folder,
    home,
    root,
    variables,
    spool,
    git,
    recorder,
    write,
    hook: async (tool, event, payload) => {
      const input = typeof payload === 'string' ? payload : JSON.stringify(payload)
      const result = await recorder(['hook', tool, event], input)
      if (result.code !== 0 || result.output !== '' || result.errors !== '')
        throw new Error(`The hook was not silent: ${JSON.stringify(result)}`)
    },
    verb: (commandArguments, input = '', own = variables) =>
      runVerb(commandArguments, { folder: root, home, variables: own, input }),
    event: async (tool, event, payload) => {
      const members = typeof payload === 'string' ? JSON.parse(payload) : { ...payload }
      const result = await runEvent(tool, event, members, { folder: root, home, variables })
      if (result.kind !== 'recorded') throw new Error(`It was not recorded: ${JSON.stringify(result)}`)
    },
    connect: (logbookUrl, token) => {
      saveLogbookUrl(spool(), logbookUrl)
      saveToken(spool(), token)
    },
    pending: () => {
      const { pending } = spool().layout
      return readdirSync(pending)
        .sort()
        .map(name => JSON.parse(readFileSync(join(pending, name), 'utf8')))
    },
    allSent: async () => {
      const { files, layout } = spool()
      while (files.list(layout.pending).length > 0 || files.read(layout.lock) !== null) await Bun.sleep(20)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
