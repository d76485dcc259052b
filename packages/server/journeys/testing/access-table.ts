// docs/access-table.md: which caller each route of the doors lets in, as the journey of access has seen it.
import type { DoorRoute } from './door-routes.ts'

export const columns = [
  'nobody',
  'team',
  'panel judge',
  'blind judge',
  'judge',
  'head judge',
  'operator',
  'organiser',
] as const
export type Column = (typeof columns)[number]

export type AccessRow = Pick<DoorRoute, 'door' | 'method' | 'path'> & {
  readonly letsIn: ReadonlySet<Column>
}

const head = `# Who may call which route

Every route of the three doors with every kind of caller, as the server answers them. A test sends these requests and compares the replies with this
page, so it is up to date. \`UPDATE_ACCESS=1\` in front of the test writes it again:

\`\`\`sh
UPDATE_ACCESS=1 node scripts/bun.mjs test --timeout=300000 packages/server/journeys/access.test.ts
\`\`\`

| column      | caller                                                                                                       |
| ----------- | ------------------------------------------------------------------------------------------------------------ |
| nobody      | no credential. Routes that are open to nobody and everybody take a key, a code or a link in address or body. |
| team        | a member's gateway key, on the logbook a log token                                                           |
| panel judge | a judge who has signed in with a claim link, blind or not                                                    |
| blind judge | an admin key of the role \`judge\` while judging is blind                                                      |
| judge       | the same while it is not                                                                                     |
| head judge  | an admin key of the role \`head_judge\`                                                                        |
| operator    | an admin key of the role \`operator\`                                                                          |
| organiser   | an admin key of the role \`organiser\`, as FAIRGATE_ADMIN_KEY                                                  |

A dot: the route answers this caller, as far as the request itself is right. Empty: 401 or 403, before the body is read.
`

const titles: Readonly<Record<DoorRoute['door'], string>> = {
  admin: 'The admin door',
  gateway: 'The gateway',
  logbook: 'The logbook',
}

export function writeAccessPage(rows: readonly AccessRow[]): string {
  const sections = Object.entries(titles).map(([door, title]) => {
    const own = rows.filter(row => row.door === door)
    const cells = own.map(({ method, path, letsIn }) => [
      `\`${method} ${path}\``,
      ...columns.map(column => (letsIn.has(column) ? '•' : '')),
    ])
    return `\n## ${title}\n\n${drawTable(['route', ...columns], cells)}`
  })
  return head + sections.join('')
}

/** So wide that a new route rarely changes every line. */
const routeWidth = 64

function drawTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = titles.map((title, at) => (at === 0 ? routeWidth : title.length))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |\n`
  return line(titles) + line(widths.map(width => '-'.repeat(width))) + rows.map(line).join('')
}
