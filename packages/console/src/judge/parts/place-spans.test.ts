import { expect, test } from 'bun:test'
import { findWorkTime, listTools, placeSpans } from './place-spans.ts'

const span = (from: string, until: string, tool: string | null, logged = true) => ({
  from: `2026-11-28T${from}:00.000Z`,
  until: `2026-11-28T${until}:00.000Z`,
  tool,
  logged,
})
const person = (...spans: ReturnType<typeof span>[]) => ({
  name: 'Person A',
  tools: [],
  sessions: 1,
  prompts: 1,
  calls: 1,
  cost_nano: 1,
  spans,
})

test('all rows share the time from the first to the last work of the team', () => {
  const people = [
    person(span('10:00', '11:00', 'codex')),
    person(),
    person(span('12:00', '14:00', 'gemini', false)),
  ]
  const time = findWorkTime(people)
  expect(time).toEqual({
    from: Date.parse('2026-11-28T10:00:00Z'),
    until: Date.parse('2026-11-28T14:00:00Z'),
  })
  if (time === null) throw new Error('no time')
  expect(placeSpans(people[0]?.spans ?? [], time, ['codex'])).toEqual([{ left: 0, width: 0.25, series: 0 }])
  expect(placeSpans(people[2]?.spans ?? [], time, ['codex'])).toEqual([
    { left: 0.5, width: 0.5, series: null },
  ])
})

test('nobody has worked, or only for an instant', () => {
  expect(findWorkTime([person()])).toBeNull()
  const time = findWorkTime([person(span('10:00', '10:00', null))])
  expect(time).not.toBeNull()
  if (time !== null) expect(time.until).toBeGreaterThan(time.from)
})

test('a tool keeps its colour, whoever used it first; one without a name comes after all others', () => {
  const people = [
    person(span('10:00', '11:00', 'gemini'), span('11:00', '12:00', null)),
    person(span('10:00', '12:00', 'codex')),
  ]
  const tools = listTools({
    people,
    tools: [
      { tool: 'gemini', sessions: 1, cost_nano: 5 },
      { tool: 'codex', sessions: 1, cost_nano: 50 },
      { tool: 'unused', sessions: 0, cost_nano: 70 },
    ],
  })
  expect(tools).toEqual(['codex', 'gemini'])
  const time = findWorkTime(people)
  if (time === null) throw new Error('no time')
  expect(placeSpans(people[0]?.spans ?? [], time, tools).map(({ series }) => series)).toEqual([1, 2])
})
