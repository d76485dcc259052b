// Runs a command line and says how it ended as an exit code.
import { showText } from '@fairgate/contracts/text/show-hidden.ts'
import { type Command, CommanderError } from 'commander'
import { CommandFailure } from './command-failure.ts'

/** 0: done. 1: refused, or a check failed. 2: wrong usage. 3: the admin door was not reached. Never rejects. */
export async function runCommand(
  command: Command,
  commandArguments: readonly string[],
  writeError: (text: string) => void,
): Promise<0 | 1 | 2 | 3> {
  try {
    await command.parseAsync([...commandArguments], { from: 'user' })
    return 0
  } catch (thrown) {
    // Commander has written its message already. Help and version end this way too, with exit code 0.
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : 2
    writeError(`${showText(thrown instanceof Error ? thrown.message : String(thrown))}\n`)
    return thrown instanceof CommandFailure ? thrown.exitCode : 1
  }
}
