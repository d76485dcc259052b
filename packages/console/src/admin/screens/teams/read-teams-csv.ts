// Reads a list of teams and their members as spreadsheets write it (RFC 4180), and makes of it the file of an event.

export type TeamsCsv = {
  /** As `POST /event/apply` takes it; null while a line is wrong. JSON, which is YAML too. */
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

/** One line for each member, or for each team; a team may have several lines, and its name and budget stand in any of them. */
export function readTeamsCsv(text: string): TeamsCsv {
  const rows = readRows(text.replace(/^\ufeff/, ''))
  if (rows === null) return refuse(1, 'A quote does not end, or stands within a cell.')
  const [header, ...lines] = rows
  const heads = header?.cells.map(cell => cell.trim().toLowerCase()) ?? []
  const unknown = heads.find(head => head !== '' && !(titles as readonly string[]).includes(head))
  if (!heads.includes('id'))
    return refuse(1, 'The first line names the columns: id, and any of name, member, email, budget.')
  if (unknown !== undefined)
    return refuse(1, `There is no column “${unknown.slice(0, 40)}”. There are: ${titles.join(', ')}.`)
  const teams = new Map<string, Team>()
  const problems: { line: number; text: string }[] = []
  for (const { line, cells } of lines) {
    const read = (title: Title) => (cells[heads.indexOf(title)] ?? '').trim()
    const problem = addLine(teams, read)
    if (problem !== null) problems.push({ line, text: problem })
  }
  if (lines.length === 0) return refuse(1, 'There is no team in the file.')
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

/** What is wrong with the line, or null. */
function addLine(teams: Map<string, Team>, read: (title: Title) => string): string | null {
  const [id, name, member, email, budget] = titles.map(read) as [string, string, string, string, string]
  if (id === '') return 'The id of the team is missing.'
  if (!idPattern.test(id))
    return `“${id.slice(0, 40)}” is no id: letters, digits, dot, underscore and hyphen, 128 at most.`
  const team = teams.get(id) ?? { id, members: [] }
  if (name !== '' && team.name !== undefined && team.name !== name)
    return `Another line calls this team “${team.name.slice(0, 40)}”.`
  const dollars = budget === '' ? undefined : Number(budget.replace(/^\$/, ''))
  if (dollars !== undefined && !(dollars >= 0 && Number.isFinite(dollars)))
    return `“${budget.slice(0, 40)}” is no budget. Write dollars, such as 25 or 12.50.`
  if (dollars !== undefined && team.budget !== undefined && team.budget !== dollars)
    return 'Another line gives this team another budget.'
  if (email !== '' && member === '') return 'There is an address without a member.'
  if (email !== '' && !/^[^\s@]+@[^\s@]+$/.test(email)) return `“${email.slice(0, 40)}” is no e-mail address.`
  if (member !== '' && team.members.some(each => each.name === member))
    return `“${member.slice(0, 40)}” is in this team already.`
  if (name !== '') team.name = name
  if (dollars !== undefined) team.budget = dollars
  if (member !== '') team.members.push(email === '' ? { name: member } : { name: member, email })
  teams.set(id, team)
  return null
}

function writeTeam({ members, ...team }: Team) {
  return members.length === 0 ? team : { ...team, members }
}

/** Lines without anything are left out. Null where a quote does not end. */
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
