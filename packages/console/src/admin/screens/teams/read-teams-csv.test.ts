// A list of teams becomes the file of an event, and a line at fault is named.
import { expect, test } from 'bun:test'
import { exampleCsv, readTeamsCsv } from './read-teams-csv.ts'

const fileOf = (text: string): unknown => JSON.parse(readTeamsCsv(text).file ?? 'null')

test('the example that people can download is read', () => {
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

test('quoted cells hold commas, quotes and line ends', () => {
  expect(fileOf('id,name\nred,"Red, ""the"" team"\nblue,"two\nlines"\n')).toEqual({
    teams: [
      { id: 'red', name: 'Red, "the" team' },
      { id: 'blue', name: 'two\nlines' },
    ],
  })
})

test('columns may have any order, and an empty last cell is one', () => {
  expect(fileOf('name,id,budget\nRed,red,\n')).toEqual({ teams: [{ id: 'red', name: 'Red' }] })
})

test.each([
  ['name\nRed\n', 1, 'The first line names the columns'],
  ['id,tabel\nred,4\n', 1, 'There is no column “tabel”'],
  ['id\n', 1, 'There is no team'],
  ['id,name\nred,Red\n,Blue\n', 3, 'The id of the team is missing'],
  ['id\nno spaces\n', 2, 'is no id'],
  ['id,name\nred,Red\nred,Blue\n', 3, 'Another line calls this team “Red”'],
  ['id,budget\nred,much\n', 2, 'is no budget'],
  ['id,member,email\nred,Kim,kim\n', 2, 'is no e-mail address'],
  ['id,member\nred,Kim\nred,Kim\n', 3, 'is in this team already'],
  ['id,name\nred,"Red\n', 1, 'A quote does not end'],
])('%j is refused in line %i', (text, line, said) => {
  const { file, problems } = readTeamsCsv(text)
  expect(file).toBeNull()
  expect(problems[0]?.line).toBe(line)
  expect(problems[0]?.text).toContain(said)
})
