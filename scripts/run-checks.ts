// `npm run check`: runs format and lint, types, import rules, unused code, workflows and words, and fails if any of them fails.
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const bin = (name: string) => fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url))

const checks: readonly (readonly [string, readonly string[]])[] = [
  ['format and lint', [bin('biome'), 'check', '--error-on-warnings', '.']],
  ['types', [bin('tsc'), '--noEmit', '-p', '.']],
  ["types of the browser's pages", [bin('tsc'), '--noEmit', '-p', 'packages/console']],
  ['import rules', [process.execPath, 'scripts/check-imports.ts']],
  ['unused code', [bin('knip')]],
  ['workflows', [process.execPath, 'scripts/check-workflows.ts']],
  ['words', [process.execPath, 'scripts/check-words.ts']],
]

const results = await Promise.all(
  checks.map(async ([name, command]) => {
    const child = Bun.spawn([...command], { cwd: root, stdout: 'pipe', stderr: 'pipe' })
    const [code, out, err] = await Promise.all([
      child.exited,
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    return { name, code, text: `${out}${err}`.trim() }
  }),
)

for (const { name, code, text } of results) {
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name}`)
  if (code !== 0) console.log(text)
}
const failed = results.filter(({ code }) => code !== 0).length
console.log(`${results.length - failed} checks passed, ${failed} failed`)
process.exit(failed > 0 ? 1 : 0)
