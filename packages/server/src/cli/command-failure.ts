// The one error class that ends a command with a message for stderr and an exit code of its own.

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
