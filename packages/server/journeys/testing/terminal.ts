// The real command line as an organiser types it, each command in its own process, with a transcript.
import { fileURLToPath } from 'node:url'

const entry = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

export class Terminal {
  readonly #folder: string
  readonly #variables: Readonly<Record<string, string>>
  readonly #said: { readonly note: string; readonly commands: string[] }[] = []

  /** `folder`: the commands run in it. `variables` name the admin door and its key. */
  constructor(folder: string, variables: Readonly<Record<string, string>>) {
    this.#folder = folder
    this.#variables = variables
  }

  /** Returns the output of the command. Throws if it failed. */
  async type(...words: readonly string[]): Promise<string> {
    const output = await this.#run(words)
    this.#said.at(-1)?.commands.push(`$ fairgate ${words.map(quote).join(' ')}\n${shorten(output)}`)
    return output
  }

  /** The same with `--json`, and not part of the transcript. */
  async ask<Reply>(...words: readonly string[]): Promise<Reply> {
    return JSON.parse(await this.#run([...words, '--json'])) as Reply
  }

  /** The purpose of the commands that follow. */
  note(note: string): void {
    this.#said.push({ note, commands: [] })
  }

  /** As Markdown: a heading for each note, a block for the commands that follow it. The middle of long output is left out. */
  transcript(): string {
    return this.#said
      .map(({ note, commands }) => `### ${note}\n\n\`\`\`\n${commands.join('\n')}\`\`\`\n`)
      .join('\n')
  }

  async #run(words: readonly string[]): Promise<string> {
    const { PATH = '', HOME = '' } = process.env
    const child = Bun.spawn([process.execPath, entry, ...words], {
      cwd: this.#folder,
      env: { PATH, HOME, ...this.#variables },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [output, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    if (code !== 0) throw new Error(`fairgate ${words.join(' ')} ended with ${code}:\n${output}${errors}`)
    return output + errors
  }
}

function shorten(output: string): string {
  const lines = output.split('\n')
  if (lines.length <= 16) return output
  return [...lines.slice(0, 9), `  … ${lines.length - 13} more lines`, ...lines.slice(-4)].join('\n')
}

function quote(word: string): string {
  return /^[\w.,:=+/-]+$/.test(word) ? word : `"${word}"`
}
