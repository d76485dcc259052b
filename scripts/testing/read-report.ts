// Reads the result of each test file from the JUnit report of `bun test`.

export type FileResult = {
  readonly file: string
  readonly passed: number
  readonly skipped: number
  /** Names of the tests that failed. */
  readonly failures: readonly string[]
}

/** `files`: all files that ran. A file without a test in the report broke before its first test and counts as failed. */
export function readReport(files: readonly string[], xml: string): FileResult[] {
  const cases = [...xml.matchAll(/<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)].map(
    ([, attributes = '', content = '']) => ({ attributes, content }),
  )
  const byFile = Map.groupBy(cases, ({ attributes }) => readAttribute(attributes, 'file'))
  return files.map(file => {
    const own = byFile.get(file) ?? []
    const failed = own.filter(({ content }) => content.includes('<failure'))
    const skipped = own.filter(({ content }) => content.includes('<skipped')).length
    const names = failed.map(({ attributes }) =>
      [readAttribute(attributes, 'classname'), readAttribute(attributes, 'name')].filter(Boolean).join(' > '),
    )
    return {
      file,
      passed: own.length - failed.length - skipped,
      skipped,
      failures: own.length === 0 ? ['broke before its first test'] : names,
    }
  })
}

function readAttribute(attributes: string, name: string): string {
  const value = new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes)?.[1] ?? ''
  return value.replaceAll(/&(?:lt|gt|quot|apos|amp|#\d+);/g, decodeEntity)
}

function decodeEntity(entity: string): string {
  const named: Readonly<Record<string, string>> = {
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&apos;': "'",
    '&amp;': '&',
  }
  return named[entity] ?? String.fromCodePoint(Number(entity.slice(2, -1)))
}
