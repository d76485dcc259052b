// Reads a list of members as spreadsheets export it (RFC 4180), with the columns team, name and email in any order.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { emailSchema, personNameSchema } from '@fairgate/contracts/management/people.ts'
import { Value } from 'typebox/value'
import { readCsvRows } from './read-csv-rows.ts'

export type ListedMember = { readonly team: string; readonly name: string; readonly email: string | null }

/** Throws ApiError `invalid_request` for the member `members`; the message has the line of the CSV file. */
export function readMembersCsv(fileName: string, text: string): ListedMember[] {
  const refuse = (line: number, message: string) =>
    invalidRequest('members', `${fileName}, line ${line}: ${message}`)
  const [header, ...rows] = readCsvRows('members', text)
  const titles = header?.cells.map(cell => cell.trim().toLowerCase()) ?? []
  const [team, name, email] = ['team', 'name', 'email'].map(title => titles.indexOf(title))
  if (team === undefined || name === undefined || team < 0 || name < 0)
    throw refuse(1, 'the first line must have the columns team and name; email is optional.')
  return rows.map(({ cells, line }) => {
    const read = (column: number | undefined) => (column === undefined ? '' : (cells[column] ?? '')).trim()
    const member = { team: read(team), name: read(name), email: read(email) === '' ? null : read(email) }
    if (member.team === '') throw refuse(line, 'the team is missing.')
    if (!Value.Check(personNameSchema, member.name)) throw refuse(line, 'the name is missing or invalid.')
    if (member.email !== null && !Value.Check(emailSchema, member.email))
      throw refuse(line, `"${read(email).slice(0, 100)}" is not an email address.`)
    return member
  })
}
