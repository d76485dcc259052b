// Reads a list of judges as spreadsheets export it, with the columns name, email, tags, tracks and minutes in any order.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { newJudgesBodySchema } from '@fairgate/contracts/judging/panel.ts'
import type { Static } from 'typebox'
import { Value } from 'typebox/value'
import { readCsvRows } from '../directory/event/read-csv-rows.ts'

type ListedJudges = Extract<Static<typeof newJudgesBodySchema>['judges'], readonly unknown[]>

const listSchema = newJudgesBodySchema.properties.judges

/** Throws ApiError `invalid_request` for the member `csv`; the message has the line. */
export function readJudgesCsv(text: string): ListedJudges {
  const [header, ...rows] = readCsvRows('csv', text)
  const titles = header?.cells.map(cell => cell.trim().toLowerCase()) ?? []
  if (!titles.includes('name'))
    throw invalidRequest(
      'csv',
      'The first line must have the column name; email, tags, tracks and minutes are optional.',
    )
  return rows.map(({ cells, line }) => {
    const read = (title: string) => {
      const column = titles.indexOf(title)
      return column < 0 ? '' : (cells[column] ?? '').trim()
    }
    const list = (title: string) =>
      read(title)
        .split(';')
        .map(item => item.trim())
        .filter(item => item !== '')
    const judge = {
      name: read('name'),
      email: read('email') === '' ? null : read('email'),
      tags: list('tags'),
      tracks: list('tracks'),
      minutes: read('minutes') === '' ? null : Number(read('minutes')),
    }
    const one: unknown = [judge]
    if (!Value.Check(listSchema, one) || one === null || one === undefined)
      throw invalidRequest(
        'csv',
        `Line ${line}: the name is missing, or one of email, tags, tracks and minutes (a whole number) is not valid.`,
      )
    return judge
  })
}
