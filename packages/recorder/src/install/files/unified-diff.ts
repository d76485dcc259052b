// Shows a change to a text as a unified diff, which everybody can read and `patch` can apply.

type Row = { readonly sign: ' ' | '-' | '+'; readonly line: string }

const context = 3

export function writeDiff(path: string, before: string | null, after: string | null): string {
  const rows = compareLines(splitLines(before ?? ''), splitLines(after ?? ''))
  const head = [`--- ${before === null ? '/dev/null' : path}`, `+++ ${after === null ? '/dev/null' : path}`]
  return `${[...head, ...writeHunks(rows)].join('\n')}\n`
}

/** Keeps the line ends, so that a changed line end shows. */
function splitLines(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}

/** Finds the longest common subsequence of lines. It is quadratic, which is fine because settings are short. */
function compareLines(before: readonly string[], after: readonly string[]): Row[] {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1))
  const at = (row: number, column: number) => lengths[row]?.[column] ?? 0
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      const line = lengths[row]
      if (line === undefined) continue
      line[column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  const rows: Row[] = []
  for (let row = 0, column = 0; row < before.length || column < after.length; ) {
    const [old = '', fresh = ''] = [before[row], after[column]]
    if (row < before.length && column < after.length && old === fresh) {
      rows.push({ sign: ' ', line: old })
      row += 1
      column += 1
    } else if (
      row < before.length &&
      (column >= after.length || at(row + 1, column) >= at(row, column + 1))
    ) {
      rows.push({ sign: '-', line: old })
      row += 1
    } else {
      rows.push({ sign: '+', line: fresh })
      column += 1
    }
  }
  return rows
}

function writeHunks(rows: readonly Row[]): string[] {
  const near = rows.map((_, index) =>
    rows.slice(Math.max(0, index - context), index + context + 1).some(({ sign }) => sign !== ' '),
  )
  const lines: string[] = []
  let numbers = { before: 1, after: 1 }
  for (const [index, row] of rows.entries()) {
    if (near[index] && !near[index - 1]) {
      const length = near.slice(index).indexOf(false)
      const hunk = rows.slice(index, length < 0 ? undefined : index + length)
      lines.push(writeHunkHead(hunk, numbers))
    }
    if (near[index]) lines.push(row.sign + row.line.replace(/\n$/, ''))
    if (near[index] && !row.line.endsWith('\n')) lines.push('\\ No newline at end of file')
    numbers = {
      before: numbers.before + (row.sign === '+' ? 0 : 1),
      after: numbers.after + (row.sign === '-' ? 0 : 1),
    }
  }
  return lines
}

function writeHunkHead(hunk: readonly Row[], start: { before: number; after: number }): string {
  const count = (absent: Row['sign']) => hunk.filter(({ sign }) => sign !== absent).length
  const range = (first: number, length: number) => `${length === 0 ? first - 1 : first},${length}`
  return `@@ -${range(start.before, count('+'))} +${range(start.after, count('-'))} @@`
}
