// Published results in the forms that others read: hostile names stay text in all of them.
import { describe, expect, test } from 'bun:test'
import type { PublishedResults } from '@fairgate/contracts/judging/results.ts'
import { writeCsv, writeCtftime, writeResultsPage } from './write-results.ts'

const team = {
  rank: 1,
  unranked: null,
  judgements: 3,
  mean: 0.84567,
  adjusted: 0.8,
  criteria: { direction: 4.25 },
}
const results: PublishedResults = {
  event: 'Harbour <Cup>',
  published_at: '2026-11-21T18:00:00.000Z',
  ranking: 'mean',
  criteria: [{ id: 'direction', name: 'Direction', weight: 1, max: 5 }],
  teams: [
    { ...team, team_id: 'red', team: '=HYPERLINK("x")' },
    { ...team, team_id: 'blue', team: '<script>alert(1)</script>', rank: 2, mean: 0.5 },
    {
      ...team,
      team_id: 'late',
      team: 'Late',
      rank: null,
      unranked: 'not_judged',
      mean: null,
      adjusted: null,
      criteria: { direction: null },
    },
  ],
  ties: [
    {
      step: { by: 'head_judge' },
      teams: ['red', 'blue'],
      values: { red: 1, blue: 2 },
      reason: 'The demo <ran>.',
    },
  ],
  corrections: [{ number: 1, text: 'Two teams were mixed up.', at: '2026-11-21T19:00:00.000Z', by: 'admin' }],
  method: ['The weighted mean of the scores decides.'],
}

test('in CSV no cell is a formula', () => {
  expect(writeCsv(results, true).split('\r\n')).toEqual([
    '\ufeffrank,team_id,team,judgements,mean,adjusted,direction,unranked',
    `1,"red","'=HYPERLINK(""x"")",3,0.8457,0.8,4.25,`,
    '2,"blue","<script>alert(1)</script>",3,0.5,0.8,4.25,',
    ',"late","Late",3,,,,not_judged',
    '',
  ])
})

test('the scoreboard has the form that CTFtime documents, with ranked teams only', () => {
  const at = Date.parse(results.published_at) / 1000
  expect(writeCtftime(results)).toEqual({
    tasks: ['Direction'],
    standings: [
      {
        pos: 1,
        team: '=HYPERLINK("x")',
        score: 84.57,
        taskStats: { Direction: { points: 4.25, time: at } },
        lastAccept: at,
      },
      {
        pos: 2,
        team: '<script>alert(1)</script>',
        score: 50,
        taskStats: { Direction: { points: 4.25, time: at } },
        lastAccept: at,
      },
    ],
  })
})

describe('the page', () => {
  test('shows ranking, ties, corrections and teams without a rank, with every name as text', () => {
    const page = writeResultsPage(results, 'Asia/Seoul')
    for (const part of [
      'Results of Harbour &lt;Cup&gt;',
      '&lt;script&gt;alert(1)&lt;/script&gt;',
      'The demo &lt;ran&gt;.',
      'Two teams were mixed up.',
      'Late: no judgement',
      '84.6',
    ])
      expect(page).toContain(part)
    expect(page).not.toContain('<script')
  })

  test('says so before publication, without the name of anything', () => {
    expect(writeResultsPage(null, 'UTC')).toContain('The results are not published yet.')
  })
})
