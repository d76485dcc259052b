// CSV of anything that a team may log: a spreadsheet executes nothing, and everything can be restored.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { writeCsvHeader, writeCsvRow, writeEntry } from './write-entries.ts'

/** RFC 4180 by the letter, one row with its end. */
function readRow(text: string): string[] {
  expect(text.endsWith('\r\n')).toBe(true)
  const cells: string[] = []
  const cell = /"([^"]*(?:""[^"]*)*)"(?:,|\r\n)/y
  while (cell.lastIndex < text.length) {
    const [, quoted] = cell.exec(text) ?? []
    if (quoted === undefined) throw new Error(`Not a row: ${text}`)
    cells.push(quoted.replaceAll('""', '"'))
  }
  return cells
}

const titles = readRow(writeCsvHeader())
const write = (entry: object) => {
  const body = JSON.stringify(entry)
  const added = {
    teamId: 'red',
    seq: 7,
    id: 'ab',
    ts: 't',
    receivedAt: 'r',
    chain: 'c',
    tokenId: 'lt-1',
    clientAddress: null,
    isLate: false,
  }
  const cells = readRow(writeCsvRow({ ...added, body }))
  expect(cells).toHaveLength(titles.length)
  return { cells, body, row: Object.fromEntries(titles.map((title, index) => [title, cells[index] ?? ''])) }
}
/** The steps that the reference page tells readers to take. */
const readCell = (cell = '') => cell.replace(/^'/, '')

describe('a cell', () => {
  test.each(['=1+1', '+1', '-1', '@SUM(A1)', ' =1', '\t=1', '\r\n-1', '\u200b=1', '＝1', '＠x', '\tx', "'x"])(
    'that begins with %p gets an apostrophe in front',
    prompt => {
      const { row } = write({ prompt })
      expect(row.prompt).toStartWith("'")
      expect(readCell(row.prompt)).toBe(prompt.replaceAll('\0', '\ufffd'))
    },
  )

  test.each(['a=1', '1-1', 'é', '"=1"', ',=1', '', 'a\nb'])('that begins with %p is unchanged', prompt => {
    expect(write({ prompt }).row.prompt).toBe(prompt)
  })

  test('has objects as JSON, is empty for absent members, and has no inherited members', () => {
    const { row } = write({ tool_input: { a: ['=1'] }, tool_error: [1], prompt: null })
    expect([row.tool_input, row.tool_error, row.prompt, row.model]).toEqual(['{"a":["=1"]}', '[1]', '', ''])
    expect(write(JSON.parse('{"__proto__":{"prompt":"inherited"}}')).row.prompt).toBe('')
  })
})

test('the sender and address of an entry are next to it, and empty if unknown', () => {
  const entry = { teamId: 'red', seq: 7, id: 'ab', ts: 't', receivedAt: 'r', chain: 'c', body: '{"n":1}' }
  const sender = { tokenId: 'lt-1', clientAddress: '2001:db8::1', isLate: false }
  const readCsv = (row: string) => readRow(row).slice(titles.indexOf('chain'))
  expect(titles.slice(titles.indexOf('chain'))).toEqual([
    'chain',
    'token_id',
    'client_address',
    'late',
    'entry',
  ])
  expect(readCsv(writeCsvRow({ ...entry, ...sender }))).toEqual(['c', 'lt-1', '2001:db8::1', '', '{"n":1}'])
  expect(JSON.parse(writeEntry({ ...entry, ...sender }))).toMatchObject({
    token_id: 'lt-1',
    client_address: '2001:db8::1',
    entry: { n: 1 },
  })
  const unknown = { ...sender, clientAddress: null }
  expect(readCsv(writeCsvRow({ ...entry, ...unknown }))).toEqual(['c', 'lt-1', '', '', '{"n":1}'])
  expect(JSON.parse(writeEntry({ ...entry, ...unknown }))).toMatchObject({ client_address: null })
})

test('only late entries are marked as late', () => {
  const entry = { teamId: 'red', seq: 7, id: 'ab', ts: 't', receivedAt: 'r', chain: 'c', body: '{"n":1}' }
  const sender = { tokenId: 'lt-1', clientAddress: null }
  expect(JSON.parse(writeEntry({ ...entry, ...sender, isLate: true }))).toMatchObject({ late: true })
  expect(readRow(writeCsvRow({ ...entry, ...sender, isLate: true }))[titles.indexOf('late')]).toBe('true')
  expect(readRow(writeCsvRow({ ...entry, ...sender, isLate: false }))[titles.indexOf('late')]).toBe('')
  expect(JSON.parse(writeEntry({ ...entry, ...sender, isLate: false }))).not.toHaveProperty('late')
  const readLate = (isLate: boolean) =>
    readRow(writeCsvRow({ ...entry, ...sender, isLate }))[titles.indexOf('late')]
  expect([true, false].map(readLate)).toEqual(['true', ''])
})

test('any text can be restored, and the stored entry byte for byte', () => {
  const start = fc.constantFrom('', '=', '-', "'", '"', ' ', '\r\n', '\t', ',', '＋')
  const anyText = fc.tuple(start, fc.string({ unit: 'binary', maxLength: 40 })).map(parts => parts.join(''))
  fc.assert(
    fc.property(anyText, anyText, fc.jsonValue({ maxDepth: 2 }), (prompt, student, unknown) => {
      const { row, body, cells } = write({ prompt, student, unknown })
      expect(readCell(row.prompt)).toBe(prompt.replaceAll('\0', '\ufffd'))
      expect(readCell(row.student)).toBe(student.replaceAll('\0', '\ufffd'))
      expect(row.entry).toBe(body)
      expect(cells.filter(cell => /^[\s\p{C}]*[=+\-@＝＋－＠]/u.test(cell))).toEqual([])
    }),
    { numRuns: 40 },
  )
})
