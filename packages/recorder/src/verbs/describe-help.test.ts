// Every verb and every flag has its help text, and the pages fit a narrow terminal.
import { describe, expect, test } from 'bun:test'
import { displayWidth } from '../terminal/display-width.ts'
import { type Line, paintLine } from '../terminal/paint.ts'
import { describeCommand, describeVerb } from './describe-help.ts'
import { verbs } from './list-verbs.ts'
import { parseArguments } from './parse-arguments.ts'

const write = (lines: readonly Line[]) => lines.map(line => paintLine(line, false))

test('the first page names every verb, in lines that fit', () => {
  const page = write(describeCommand(verbs, 80))
  for (const name of Object.keys(verbs)) expect(page.some(line => line.startsWith(`  ${name} `))).toBe(true)
  expect(page.filter(line => displayWidth(line) > 80)).toEqual([])
})

describe.each(Object.entries(verbs))('%s', (_, verb) => {
  const page = write(describeVerb(verb, 80))

  test('every flag is explained', () => {
    for (const flag of [...Object.keys(verb.help.flags), 'json', 'help'])
      expect(page.join('\n')).toMatch(new RegExp(`^  --${flag} .*\\S`, 'm'))
  })

  test('its examples are valid commands', () => {
    const { examples } = verb.help
    expect(examples.length).toBeGreaterThan(0)
    for (const [line] of examples) {
      const [own = '', ...words] = line.split(/ (?:<|\||&&) /)[0]?.split(' ') ?? []
      const given = verbs[own]
      const positionals = given === undefined ? [line] : parseArguments(given, words).positionals
      // The words of another program may be anything.
      expect(given?.passesOn === true ? [] : positionals.slice(given?.maxPositionals ?? 0)).toEqual([])
    }
  })

  test('only usage and commands may be longer than the terminal', () => {
    const long = page.filter(line => displayWidth(line) > 80)
    expect(long.filter(line => !line.includes('fairgate-recorder '))).toEqual([])
  })
})
