// The `fairgate-recorder` command. A hook runs at every tool call of an AI tool, so a hook loads only what it needs.
import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { readText } from './git/find-repository.ts'
import { runHook } from './hook/run-hook.ts'
import { createFiles } from './spool/files.ts'
import { createTranscripts } from './tools/transcripts.ts'

/** Put in by the build. */
declare const recorderVersion: string
declare const recorderIsStandAlone: boolean

// Read first, because for most tools this is the time of the event.
const startedAt = new Date()
const commandArguments = process.argv.slice(2)
/** Neither of these verbs may delay its caller. */
const isHurried = commandArguments[0] === 'hook' || commandArguments[0] === 'push'
/** Somebody asks for help about `hook`. */
const isAboutHook = /^hook (?:-h|--help)$/.test(commandArguments.join(' '))
const longestGitMs = isHurried ? 1000 : 10_000

const surroundings = {
  home: homedir(),
  environment: process.env,
  workingFolder: readWorkingFolder(),
  readText,
  transcripts: createTranscripts(),
  files: createFiles(),
  processId: process.pid,
  random: Math.random,
  loadGit: async () => (await import('./git/run-git.ts')).createRunGit(longestGitMs),
}

/** The folder may have been removed under the process. */
function readWorkingFolder(): string {
  try {
    return process.cwd()
  } catch {
    return homedir()
  }
}

function resolvePath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}

async function run(): Promise<number> {
  if (commandArguments[0] === 'hook' && !isAboutHook) {
    await runHook(commandArguments.slice(1), {
      ...surroundings,
      now: startedAt,
      // The start script in a repository's git folder says where it is.
      calledFolder: process.env.FAIRGATE_RECORDER_FOLDER || null,
      resolvePath,
    })
    return 0
  }
  const { startVerb } = await import('./verbs/start-verb.ts')
  return await startVerb(
    {
      ...surroundings,
      version: recorderVersion,
      command: recorderIsStandAlone ? [process.execPath] : [process.execPath, process.argv[1] ?? ''],
    },
    isAboutHook ? ['help', 'hook'] : commandArguments,
  )
}

// A reader such as `head` may close the pipe before everything is written.
process.stdout.on('error', () => undefined)

void run().then(code => {
  process.exitCode = code
  // An abandoned read of standard input, or an open connection, must not keep the caller waiting.
  if (isHurried) process.exit()
})
