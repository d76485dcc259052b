// Runs the snippets of the team's page as people copy them: Python, JavaScript, the vendor's SDK and curl. Those of coding agents are run by `npm run test:agents`.
//
// Usage: bun check-snippets.ts <python>, with CLIENTS_GATEWAY_URL and CLIENTS_KEY. Prints a line for each, `ok` or `FAILED`.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exportLine, listSnippets } from '../packages/console/src/team/snippets.ts'

const [python = 'python3'] = process.argv.slice(2)
const { CLIENTS_GATEWAY_URL: base = '', CLIENTS_KEY: key = '' } = process.env
/** Below the project, so that `import OpenAI from 'openai'` is found as in a project of one's own. */
const folder = fileURLToPath(new URL('.cache/snippets', import.meta.url))
const answerSeconds = 60

/** By the id of a snippet: the file it is saved in, and how it is run. The others are settings of coding agents. */
const programs: Readonly<Record<string, { readonly file: string; readonly command: string }>> = {
  python: { file: 'hello.py', command: 'python hello.py' },
  vendor: { file: 'vendor.py', command: 'python vendor.py' },
  javascript: { file: 'hello.mjs', command: 'node hello.mjs' },
  curl: { file: 'hello.sh', command: 'sh hello.sh' },
}

async function run(id: string, code: string): Promise<string | null> {
  const program = programs[id]
  if (program === undefined) return null
  writeFileSync(join(folder, program.file), code)
  // The shell of a person, who has pasted the line with the key.
  const child = Bun.spawn(['sh', '-c', `${exportLine(key, key.slice(-4))}\n${program.command}`], {
    cwd: folder,
    env: { ...process.env, PATH: `${dirname(python)}:${process.env.PATH ?? ''}` },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: answerSeconds * 1000,
  })
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  const ended = await child.exited
  const isAnswer = id === 'curl' ? output.includes('"finish_reason":"stop"') : output.trim() !== ''
  return ended === 0 && isAnswer ? 'ok' : `it ended with ${ended}: ${output}${errors}`
}

mkdirSync(folder, { recursive: true })
let failed = 0
try {
  const snippets = listSnippets({ base, model: 'mm-2.5-pro', quickModel: 'mm-2.5-flash' })
  const ran = new Set<string>()
  for (const { id, name, code } of snippets) {
    const outcome = await run(id, code)
    if (outcome === null) continue
    ran.add(id)
    if (outcome !== 'ok') failed += 1
    console.log(outcome === 'ok' ? `ok  snippet for ${name}` : `FAILED  snippet for ${name}: ${outcome}`)
  }
  for (const id of Object.keys(programs))
    if (!ran.has(id)) {
      failed += 1
      console.log(`FAILED  the page has no snippet ${id}`)
    }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exit(failed > 0 ? 1 : 0)
