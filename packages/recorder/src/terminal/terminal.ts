// Talks with the person at the terminal. Questions go to standard error, so that standard output has only the result.
import { UserFailure } from './user-failure.ts'

export type Terminal = {
  /** Somebody is there to answer. */
  readonly isInteractive: boolean
  readonly ask: (question: string) => Promise<string>
  /** The typed text does not show. */
  readonly askHidden: (question: string) => Promise<string>
  /** Everything on standard input. */
  readonly readAll: () => Promise<string>
}

export function createTerminal(): Terminal {
  const { stdin, stderr } = process
  return {
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    ask: async question => {
      const { createInterface } = await import('node:readline/promises')
      const lines = createInterface({ input: stdin, output: stderr })
      try {
        return (await lines.question(question)).trim()
      } finally {
        lines.close()
      }
    },
    askHidden: question => readHidden(question),
    readAll: async () => {
      const chunks: Buffer[] = []
      for await (const chunk of stdin) chunks.push(Buffer.from(chunk))
      return Buffer.concat(chunks).toString('utf8').trim()
    },
  }
}

/** Reads the keys one by one, because the terminal itself would show them. */
function readHidden(question: string): Promise<string> {
  const { stdin, stderr } = process
  // This comes before the question, so that even an immediate answer does not show.
  stdin.setRawMode(true)
  stdin.resume()
  stderr.write(question)
  return new Promise((resolve, reject) => {
    let typed = ''
    const end = (finish: () => void) => {
      stdin.off('data', take)
      stdin.setRawMode(false)
      stdin.pause()
      stderr.write('\n')
      finish()
    }
    const take = (chunk: Buffer) => {
      for (const key of chunk.toString('utf8')) {
        if (key === '\r' || key === '\n') return end(() => resolve(typed.trim()))
        if (key === '\u0003' || key === '\u0004') return end(() => reject(new UserFailure('Interrupted.')))
        if (key === '\u007f' || key === '\b') typed = typed.slice(0, -1)
        else if (key >= ' ') typed += key
      }
    }
    stdin.on('data', take)
  })
}
