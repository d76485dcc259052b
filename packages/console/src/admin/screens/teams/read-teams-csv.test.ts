// CSV team lists become an event file, and faults name their line.
import { expect, test } from 'bun:test'
import { exampleCsv, readTeamsCsv } from './read-teams-csv.ts'

const fileOf = (text: string): unknown => JSON.parse(readTeamsCsv(text).file ?? 'null')

test('the downloadable example is valid', () => {
  expect(readTeamsCsv(exampleCsv)).toMatchObject({ teams: 2, members: 2, problems: [] })
  expect(fileOf(exampleCsv)).toEqual({
    teams: [
      {
        id: 'kimchi-kernel',
        name: 'Kimchi Kernel',
        budget: 25,
        members: [{ name: 'Haeun Seo', email: 'haeun@example.org' }, { name: 'Jiwoo Han' }],
      },
      { id: 'moss', name: 'Moss', budget: 25 },
    ],
  })
})

test('quoted cells can contain commas, quotes and line breaks', () => {
  expect(fileOf('id,name\nred,"Red, ""the"" team"\nblue,"two\nlines"\n')).toEqual({
    teams: [
      { id: 'red', name: 'Red, "the" team' },
      { id: 'blue', name: 'two\nlines' },
    ],
  })
})

test('columns can be in any order, and an empty last cell counts', () => {
  expect(fileOf('name,id,budget\nRed,red,\n')).toEqual({ teams: [{ id: 'red', name: 'Red' }] })
})

test.each([
  ['name\nRed\n', 1, 'The first line must name the columns'],
  ['id,tabel\nred,4\n', 1, 'Unknown column “tabel”'],
  ['id\n', 1, 'The file has no teams'],
  ['id,name\nred,Red\n,Blue\n', 3, 'The team id is missing'],
  ['id\nno spaces\n', 2, 'is not a valid id'],
  ['id,name\nred,Red\nred,Blue\n', 3, 'Another line names this team “Red”'],
  ['id,budget\nred,much\n', 2, 'is not an amount'],
  ['id,member,email\nred,Kim,kim\n', 2, 'is not an email address'],
  ['id,member\nred,Kim\nred,Kim\n', 3, 'is already in this team'],
  ['id,name\nred,"Red\n', 1, 'A quote is not closed'],
])('%j is refused in line %i', (text, line, said) => {
  const { file, problems } = readTeamsCsv(text)
  expect(file).toBeNull()
  expect(problems[0]?.line).toBe(line)
  expect(problems[0]?.text).toContain(said)
})
