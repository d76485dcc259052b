// Runs a verb in this process: everything that a person's command needs and a hook does not.
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { workFiles } from '../install/files/work-files.ts'
import { readScreen } from '../terminal/screen.ts'
import { showPage } from '../terminal/show-page.ts'
import { createTerminal } from '../terminal/terminal.ts'
import { runCommand } from './run-command.ts'
import type { VerbSurroundings } from './verb.ts'

/** What the process shares with its hooks, and what only the program itself knows. */
export type ProcessSurroundings = Pick<
  VerbSurroundings,
  | 'home'
  | 'environment'
  | 'workingFolder'
  | 'readText'
  | 'transcripts'
  | 'files'
  | 'processId'
  | 'random'
  | 'loadGit'
  | 'version'
  | 'command'
>

export async function startVerb(own: ProcessSurroundings, commandLine: readonly string[]): Promise<number> {
  const screen = readScreen(process.stdout, process.env)
  return await runCommand(
    {
      ...own,
      now: () => new Date(),
      host: hostname(),
      isAlive,
      platform: process.platform,
      terminal: createTerminal(),
      randomBytes,
      screen,
      showPage: text => showPage(text, screen, process.env),
      workFiles,
      elapsedMs: () => performance.now(),
      sleep: milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds)),
      print: text => void process.stdout.write(text),
      printError: text => void process.stderr.write(text),
    },
    commandLine,
  )
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0)
    return true
  } catch (thrown) {
    // The process exists but belongs to another user.
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM'
  }
}
