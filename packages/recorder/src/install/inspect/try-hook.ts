// Runs a hook as the tool would, with the command from its settings, and checks everything that would disturb the tool.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { withoutLocalGitVariables } from '../../git/run-git.ts'
import { recorderFolder } from '../../spool/layout.ts'
import { launcherPath } from '../program/launcher.ts'
import type { Finding } from './judge-tool.ts'

export type Trial = {
  /** null when it did not end in time. */
  readonly exitCode: number | null
  readonly output: string
  readonly errors: string
  readonly milliseconds: number
  /** The number of entries that it wrote to the scratch spool. */
  readonly entries: number
}

const longestMs = 10_000

/** Above this time (ms) a user would notice the hook. It is only a warning, because the machine may be busy. */
const slowFrom = 250

/** `root` is the real work tree, where the tool would run the command. The payload names the scratch repository. */
export async function tryHook(
  command: string,
  root: string,
  buildPayload: (scratchRoot: string) => object,
): Promise<Trial> {
  const scratch = mkdtempSync(join(tmpdir(), 'fairgate-recorder-trial-'))
  try {
    makeRepository(scratch)
    // Some tools put a byte order mark before the payload.
    const result = await runCommand(command, root, `\uFEFF${JSON.stringify(buildPayload(scratch))}`)
    return { ...result, entries: countEntries(join(recorderFolder(join(scratch, '.git')), 'pending')) }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** What the trial says about the hook. */
export function judgeTrial(name: string, trial: Trial): Finding {
  const { exitCode, output, errors, milliseconds, entries } = trial
  const took = `${Math.round(milliseconds)} ms`
  const of = (state: Finding['state'], detail: string): Finding => ({ name, state, detail })
  if (exitCode !== 0)
    return of('failed', `ended with ${exitCode ?? 'no answer in time'}: ${errors.trim().slice(0, 200)}`)
  if (output !== '')
    return of(
      'failed',
      `printed ${JSON.stringify(output.slice(0, 100))}, which the tool would treat as a reply`,
    )
  if (entries !== 1)
    return of('failed', `wrote ${entries} entries instead of one; see ~/.fairgate/recorder.log`)
  if (errors !== '') return of('warning', `${took}; complained: ${errors.trim().slice(0, 200)}`)
  return of(milliseconds > slowFrom ? 'warning' : 'ok', took)
}

/** Creates as much of a repository as the hook reads. */
function makeRepository(folder: string): void {
  mkdirSync(join(folder, '.git', 'refs'), { recursive: true })
  mkdirSync(join(folder, '.git', 'objects'))
  writeFileSync(join(folder, '.git', 'HEAD'), 'ref: refs/heads/trial\n')
  const config = '[core]\n\trepositoryformatversion = 0\n[user]\n\temail = trial@example.org\n'
  writeFileSync(join(folder, '.git', 'config'), `${config}[remote "origin"]\n\turl = trial\n`)
  // Set up for recording. Otherwise the event of the trial would belong to the real repository.
  const launcher = launcherPath(recorderFolder(join(folder, '.git')))
  mkdirSync(dirname(launcher))
  writeFileSync(launcher, '')
}

function runCommand(command: string, folder: string, input: string): Promise<Omit<Trial, 'entries'>> {
  return new Promise(resolve => {
    const began = performance.now()
    const child = spawn(command, {
      cwd: folder,
      shell: true,
      windowsHide: true,
      env: withoutLocalGitVariables(process.env),
      timeout: longestMs,
    })
    let output = ''
    let errors = ''
    const end = (exitCode: number | null) =>
      resolve({ exitCode, output, errors, milliseconds: performance.now() - began })
    child.stdout.on('data', chunk => {
      output += String(chunk)
    })
    child.stderr.on('data', chunk => {
      errors += String(chunk)
    })
    child.on('error', thrown => {
      errors += thrown.message
      end(null)
    })
    child.on('close', end)
    // A command that exits without reading closes the pipe.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}

function countEntries(folder: string): number {
  try {
    return readdirSync(folder).filter(name => name.endsWith('.json')).length
  } catch {
    return 0
  }
}
