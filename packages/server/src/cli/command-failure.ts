// Runs a command line, and ends it with a message for stderr and an exit code.
import { showText } from '@fairgate/contracts/text/show-hidden.ts'
import { type Command, CommanderError } from 'commander'

/** 1: refused, or a check failed. 2: wrong usage. 3: the admin door was not reached. */
export type FailureCode = 1 | 2 | 3

export class CommandFailure extends Error {
  readonly exitCode: FailureCode

  constructor(exitCode: FailureCode, message: string) {
    super(message)
    this.name = 'CommandFailure'
    this.exitCode = exitCode
  }
}

export function refuseUsage(message: string): CommandFailure {
  return new CommandFailure(2, `error: ${message}`)
}

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
