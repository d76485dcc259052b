// Parses a CSV list of teams and members (RFC 4180, as spreadsheets write it) into an event file.

export type TeamsCsv = {
  /** Body for `POST /event/apply`, as JSON, which is also YAML; null if a line is wrong. */
  readonly file: string | null
  readonly teams: number
  readonly members: number
  readonly problems: readonly { readonly line: number; readonly text: string }[]
}

type Member = { readonly name: string; readonly email?: string }
type Team = { readonly id: string; name?: string; budget?: number; readonly members: Member[] }

export const exampleCsv =
  'id,name,member,email,budget\r\nkimchi-kernel,Kimchi Kernel,Haeun Seo,haeun@example.org,25\r\nkimchi-kernel,,Jiwoo Han,,\r\nmoss,Moss,,,25\r\n'

const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/
const titles = ['id', 'name', 'member', 'email', 'budget'] as const
type Title = (typeof titles)[number]

/** One line per member or per team. A team may have multiple lines, with its name and budget in any of them. */
export function readTeamsCsv(text: string): TeamsCsv {
  const rows = readRows(text.replace(/^\ufeff/, ''))
  if (rows === null) return refuse(1, 'A quote is not closed, or is inside an unquoted cell.')
  const [header, ...lines] = rows
  const heads = header?.cells.map(cell => cell.trim().toLowerCase()) ?? []
  const unknown = heads.find(head => head !== '' && !(titles as readonly string[]).includes(head))
  if (!heads.includes('id'))
    return refuse(1, 'The first line must name the columns: id, and any of name, member, email, budget.')
  if (unknown !== undefined)
    return refuse(1, `Unknown column “${unknown.slice(0, 40)}”. Allowed columns: ${titles.join(', ')}.`)
  const teams = new Map<string, Team>()
  const problems: { line: number; text: string }[] = []
  for (const { line, cells } of lines) {
    const read = (title: Title) => (cells[heads.indexOf(title)] ?? '').trim()
    const problem = addLine(teams, read)
    if (problem !== null) problems.push({ line, text: problem })
  }
  if (lines.length === 0) return refuse(1, 'The file has no teams.')
  const list = [...teams.values()]
  return {
    file: problems.length > 0 ? null : JSON.stringify({ teams: list.map(writeTeam) }),
    teams: list.length,
    members: list.reduce((sum, { members }) => sum + members.length, 0),
    problems,
  }
}

function refuse(line: number, text: string): TeamsCsv {
  return { file: null, teams: 0, members: 0, problems: [{ line, text }] }
}

/** Adds a line to its team. Returns the problem, or null. */
function addLine(teams: Map<string, Team>, read: (title: Title) => string): string | null {
  const [id, name, member, email, budget] = titles.map(read) as [string, string, string, string, string]
  if (id === '') return 'The team id is missing.'
  if (!idPattern.test(id))
    return `“${id.slice(0, 40)}” is not a valid id. Use letters, digits, dot, underscore and hyphen, at most 128.`
  const team = teams.get(id) ?? { id, members: [] }
  if (name !== '' && team.name !== undefined && team.name !== name)
    return `Another line names this team “${team.name.slice(0, 40)}”.`
  const dollars = budget === '' ? undefined : Number(budget.replace(/^\$/, ''))
  if (dollars !== undefined && !(dollars >= 0 && Number.isFinite(dollars)))
    return `“${budget.slice(0, 40)}” is not an amount. Enter dollars, such as 25 or 12.50.`
  if (dollars !== undefined && team.budget !== undefined && team.budget !== dollars)
    return 'Another line gives this team a different budget.'
  if (email !== '' && member === '') return 'An email address needs a member.'
  if (email !== '' && !/^[^\s@]+@[^\s@]+$/.test(email))
    return `“${email.slice(0, 40)}” is not an email address.`
  if (member !== '' && team.members.some(each => each.name === member))
    return `“${member.slice(0, 40)}” is already in this team.`
  if (name !== '') team.name = name
  if (dollars !== undefined) team.budget = dollars
  if (member !== '') team.members.push(email === '' ? { name: member } : { name: member, email })
  teams.set(id, team)
  return null
}

function writeTeam({ members, ...team }: Team) {
  return members.length === 0 ? team : { ...team, members }
}

/** Skips empty lines. Null if a quote is not closed. */
function readRows(text: string): { readonly line: number; readonly cells: readonly string[] }[] | null {
  const rows: { line: number; cells: string[] }[] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y
  let cells: string[] = []
  let line = 1
  let start = 1
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text)
    if (match === null) return null
    const [whole, quoted, plain = '', end] = match
    cells.push(quoted?.replaceAll('""', '"') ?? plain)
    line += whole.split(/\r\n|\n|\r/).length - 1
    if (end === ',' && cell.lastIndex < text.length) continue
    if (cells.some(value => value.trim() !== '')) rows.push({ line: start, cells })
    cells = []
    start = line
  }
  return rows
}
