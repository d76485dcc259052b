// Writes docs/clients.md from what the checks of `npm run test:clients -- all` print, and from the table of clients' habits.
import { clientHabits } from '../packages/server/src/gateway/endpoints/client-habits.ts'

/** A client of the run: what it printed, or why it did not run. */
export type ClientRun = {
  readonly name: string
  readonly language: string
  readonly output: string
  readonly missing: string | null
}

type Row = { cells: Map<string, string>; notes: string[] }

/** Checks that every client has, or says that it has none. */
const columns = ['turn', 'tools', 'stream', 'structured output'] as const

const printed = /^(ok|FAILED|--|note) +(\S+ \S+): (.*)$/gm

export function writeClientsPage(runs: readonly ClientRun[]): string {
  const single = runs.flatMap(({ name, language, output, missing }) => {
    if (missing !== null) return [[name, language, '', ...columns.map(() => ''), `Not run. ${missing}`]]
    return [...readRows(output)].map(([client, { cells, notes }]) => {
      const [title = '', version = ''] = client.split(' ')
      return [title, language, version, ...columns.map(column => cells.get(column) ?? ''), notes.join(' ')]
    })
  })
  // Equal but for the version of the language.
  const rows = [
    ...Map.groupBy(single, ([title, language = '', ...others]) =>
      JSON.stringify([title, language.split(' ')[0], others]),
    ).values(),
  ].map(equal => {
    const [[title = '', language = '', ...others] = []] = equal
    const more = equal.slice(1).map(([, each = '']) => `, ${each.split(' ')[1]}`)
    return [title, language + more.join(''), ...others]
  })
  const habits = Object.values(clientHabits).map(({ who, recognisedBy, differs, source, until }) => [
    who,
    recognisedBy,
    differs,
    source,
    until,
  ])
  return `# Clients

Real clients that were run against the gateway with their default settings: only address, key and model were set, and what the note names.
Each call had to have one row in the ledger, with the model and the units that the sandbox billed, at the prices of the catalog, and with the usage
that the client was shown.
\`npm run test:clients -- all\` writes this page.

- **turn**: one question.
- **tools**: a function is called and its result is sent back, in two turns.
- **stream**: an answer in pieces.
- **structured output**: an answer in the form of a schema.

An empty cell means that the client does not have it. Node clients ran on the versions of Node that are named. The newest major versions of most
packages need Node 22; those before them also work with Node 20.

${drawTable(['client', 'for', 'version', ...columns, 'note'], rows)}
## Clients that get another form

These clients break on the usual form of a reply. The gateway recognises them by their headers and changes only what is listed. All other clients get
the usual form.

${drawTable(['client', 'recognised by', 'what differs', 'seen with', 'until'], habits)}`
}

/** By client and version. */
function readRows(output: string): ReadonlyMap<string, Row> {
  const rows = new Map<string, Row>()
  for (const [, outcome, client = '', text = ''] of output.matchAll(printed)) {
    const row: Row = rows.get(client) ?? { cells: new Map(), notes: [] }
    rows.set(client, row)
    if (outcome === 'note') row.notes.push(text)
    if (outcome !== 'ok' && outcome !== 'FAILED') continue
    const column = columns.find(name => text.startsWith(`${name} (`) || text.startsWith(`${name}: `))
    if (column !== undefined) row.cells.set(column, outcome)
    else if (outcome === 'FAILED') row.notes.push(`FAILED: ${text.split(':')[0]}.`)
  }
  return rows
}

/** Padded, as the formatter of the other pages does it. */
function drawTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows.map(row => row.map(cell => cell.replaceAll('|', '\\|')))]
  const widths = head.map((_, index) => Math.max(3, ...all.map(row => (row[index] ?? '').length)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |\n`
  const rule = line(widths.map(width => '-'.repeat(width)))
  return line(head) + rule + all.slice(1).map(line).join('')
}
