// Goes on sending after the push has ended, in a process that holds none of its descriptors: tools read git's output to its end.
import { spawn } from 'node:child_process'
import { withoutLocalGitVariables } from '../git/run-git.ts'

/** `command` starts the recorder. */
export function startBackgroundSender(command: readonly [string, ...string[]], root: string): void {
  const [program, ...file] = command
  const child = spawn(program, [...file, 'send', '--background'], {
    cwd: root,
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
    env: withoutLocalGitVariables(process.env),
  })
  // Where no process can be started the next push sends.
  child.on('error', () => undefined)
  child.unref()
}
