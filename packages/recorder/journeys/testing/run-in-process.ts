// Runs verbs and events in the test process, on a work place's real files. It saves the start of Node, which takes longer than most verbs.
// What only a process shows (the bundle, standard input, exit codes, signals) needs `runRecorder`.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { hostname } from 'node:os'
import { version } from '../../build/build-program.ts'
import { readText } from '../../src/git/find-repository.ts'
import type { RunGit } from '../../src/git/run-git.ts'
import { type HookResult, recordEvent } from '../../src/hook/record-event.ts'
import { workFiles } from '../../src/install/files/work-files.ts'
import { createFiles } from '../../src/spool/files.ts'
import { tools } from '../../src/tools/find-tool.ts'
import type { Payload, ToolName } from '../../src/tools/tool.ts'
import { createTranscripts } from '../../src/tools/transcripts.ts'
import { runCommand } from '../../src/verbs/run-command.ts'
import { type ProgramResult, recorderFile } from './recorder-program.ts'

/** As Node itself names it in `process.execPath`. */
const node = realpathSync(Bun.which('node') ?? 'node')

export type ProcessPlace = {
  readonly folder: string
  readonly home: string
  readonly variables: Readonly<Record<string, string>>
}

/** These start processes that inherit the variables of the test process. A push does so only when its time is over. */
const needsProcess = ([verb = '', ...flags]: readonly string[], { variables }: ProcessPlace) =>
  verb === 'run' ||
  flags.includes('--test') ||
  (verb === 'push' && variables.FAIRGATE_PUSH_SECONDS === undefined)

export async function runVerb(
  words: readonly string[],
  { input = '', ...place }: ProcessPlace & { readonly input?: string },
): Promise<ProgramResult> {
  if (needsProcess(words, place)) throw new Error(`"${words.join(' ')}" needs a process of its own.`)
  const [output, errors]: [string[], string[]] = [[], []]
  const begin = performance.now()
  const noTerminal = () => Promise.reject(new Error('There is no terminal to ask at.'))
  const code = await runCommand(
    {
      ...surround(place),
      version,
      command: [node, recorderFile],
      now: () => new Date(),
      host: hostname(),
      isAlive: processId => processId === process.pid,
      platform: process.platform,
      terminal: {
        isInteractive: false,
        ask: noTerminal,
        askHidden: noTerminal,
        readAll: async () => input.trim(),
      },
      randomBytes,
      screen: { isTerminal: false, hasColor: false, width: 80, height: 24 },
      showPage: async text => void output.push(text),
      workFiles,
      elapsedMs: () => performance.now() - begin,
      sleep: milliseconds => Bun.sleep(milliseconds),
      print: text => void output.push(text),
      printError: text => void errors.push(text),
    },
    words,
  )
  return { code, output: output.join(''), errors: errors.join('') }
}

export async function runEvent(
  tool: ToolName,
  event: string,
  payload: Payload,
  place: ProcessPlace,
  calledFolder: string | null = null,
): Promise<HookResult> {
  const now = new Date()
  const own = { ...surround(place), now, calledFolder, resolvePath: realpathSync.native }
  return await recordEvent(tools[tool], event, payload, own)
}

function surround({ folder, home, variables }: ProcessPlace) {
  const runGit: RunGit = (workTree, words) => {
    try {
      const options = { cwd: workTree, env: variables, encoding: 'utf8' } as const
      const output = execFileSync('git', [...words], { ...options, stdio: ['ignore', 'pipe', 'ignore'] })
      return output.split('\n')[0] ?? ''
    } catch {
      return null
    }
  }
  return {
    home,
    environment: variables,
    workingFolder: folder,
    readText,
    transcripts: createTranscripts(),
    files: createFiles(),
    processId: process.pid,
    random: Math.random,
    loadGit: async () => runGit,
  }
}
