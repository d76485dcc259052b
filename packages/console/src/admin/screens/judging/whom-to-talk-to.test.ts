// Who needs a word: a table of judges, and the order among them.
import { expect, test } from 'bun:test'
import { idleMs, type JudgeProgress, listTalks } from './whom-to-talk-to.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const ago = (ms: number) => new Date(now - ms).toISOString()
const judge: JudgeProgress = {
  ...{ judge_id: 'jdg_1', name: 'Mira', absent: false, assigned: 6, begun: 0, done: 0, unable: 0 },
  ...{ ordered: false, last_at: null, seen_at: ago(60_000) },
}

test.each<[string, Partial<JudgeProgress>, string | null]>([
  ['has not signed in', { seen_at: null }, 'not signed in'],
  ['was entered from paper and has not signed in', { seen_at: null, done: 2 }, null],
  ['has signed in only', {}, 'not begun'],
  ['is reading', { begun: 1, last_at: ago(idleMs - 1) }, null],
  ['has saved nothing for half an hour', { begun: 1, done: 2, last_at: ago(idleMs) }, 'idle'],
  ['is done without an order', { done: 5, unable: 1 }, 'not ordered'],
  ['has one team, which needs no order', { done: 1, unable: 5 }, null],
  ['is done', { done: 6, ordered: true }, null],
  ['is absent', { absent: true }, null],
  ['has no teams', { assigned: 0, seen_at: null }, null],
])('a judge who %s', (_, facts, kind) => {
  expect(listTalks([{ ...judge, ...facts }], now).map(talk => talk.kind as string)).toEqual(
    kind === null ? [] : [kind],
  )
})

test('those who have not begun come first, then those with most teams left', () => {
  const named = (name: string, facts: Partial<JudgeProgress>) => ({
    ...judge,
    judge_id: name,
    name,
    ...facts,
  })
  const talks = listTalks(
    [
      named('ordering', { done: 6 }),
      named('idle', { begun: 1, done: 1, last_at: ago(2 * idleMs) }),
      named('few', { assigned: 2, seen_at: null }),
      named('many', { assigned: 9, seen_at: null }),
      named('here', {}),
    ],
    now,
  )
  expect(talks.map(talk => [talk.judge.name, talk.left])).toEqual([
    ['many', 9],
    ['few', 2],
    ['here', 6],
    ['idle', 5],
    ['ordering', 0],
  ])
})
