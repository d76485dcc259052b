// Properties of the ranking by means and of the steps for ties, and how judges are described.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { adjustMeans, arePanelsSampled, averageMeans } from './adjust-means.ts'
import { type CountedJudgement, describeJudges, type RankingInput, rankTeams } from './rank-teams.ts'

const teams = ['a', 'b', 'c', 'd', 'e', 'f']
const judges = ['j1', 'j2', 'j3', 'j4']
const criteria = [
  { id: 'direction', name: 'Direction', weight: 2, max: 5 },
  { id: 'checking', name: 'Checking', weight: 1, max: 5 },
]

function judge(teamId: string, judgeId: string, direction: number, checking: number): CountedJudgement {
  const scores = { direction: { score: direction }, checking: { score: checking } }
  return { teamId, judgeId, mean: (2 * direction + checking) / 15, scores, gates: {}, at: 0 }
}

const anyJudgements = fc
  .uniqueArray(
    fc.record({
      teamId: fc.constantFrom(...teams),
      judgeId: fc.constantFrom(...judges),
      direction: fc.integer({ min: 0, max: 5 }),
      checking: fc.integer({ min: 0, max: 5 }),
    }),
    { maxLength: 24, selector: ({ teamId, judgeId }) => `${teamId} ${judgeId}` },
  )
  .map(list => list.map(one => judge(one.teamId, one.judgeId, one.direction, one.checking)))

const anyRanking = fc.constantFrom('mean' as const, 'adjusted' as const, 'order' as const)

function rank(changes: Partial<RankingInput['setup']> & Partial<Omit<RankingInput, 'setup'>>) {
  const { judgements = [], orders = [], decisions = [], ...setup } = changes
  return rankTeams({
    setup: {
      criteria,
      ranking: 'mean',
      ties: [{ by: 'criterion', criterion: 'direction' }, { by: 'order' }, { by: 'head_judge' }],
      ...setup,
    },
    teams,
    judgements,
    orders,
    decisions,
  })
}

const ranksOf = (ranking: ReturnType<typeof rankTeams>) =>
  new Map(ranking.teams.map(({ teamId, rank }) => [teamId, rank]))

/** As each judge's scores give it. */
function ordersOf(judgements: readonly CountedJudgement[]): string[][] {
  return [...Map.groupBy(judgements, ({ judgeId }) => judgeId).values()].map(own =>
    own.toSorted((one, other) => other.mean - one.mean).map(({ teamId }) => teamId),
  )
}

describe('rankTeams', () => {
  test('does not depend on the order of teams, judges and orders', () => {
    const anyInput = anyJudgements.chain(judgements =>
      fc.tuple(fc.constant(judgements), fc.shuffledSubarray(judgements, { minLength: judgements.length })),
    )
    fc.assert(
      fc.property(anyInput, anyRanking, ([judgements, shuffled], ranking) => {
        const orders = ordersOf(judgements)
        const one = rank({ ranking, judgements, orders })
        const other = rank({ ranking, judgements: shuffled, orders: orders.toReversed() })
        expect(ranksOf(other)).toEqual(ranksOf(one))
      }),
    )
  })

  test('a better score of one judge never costs a team a rank', () => {
    fc.assert(
      fc.property(
        anyJudgements,
        fc.nat(),
        fc.constantFrom('mean' as const, 'adjusted' as const),
        (judgements, pick, ranking) => {
          const raised = judgements[pick % Math.max(1, judgements.length)]
          if (raised === undefined) return
          const better = judge(raised.teamId, raised.judgeId, 5, 5)
          const before = ranksOf(rank({ ranking, judgements, ties: [{ by: 'head_judge' }] }))
          const after = ranksOf(
            rank({
              ranking,
              judgements: judgements.map(one => (one === raised ? better : one)),
              ties: [{ by: 'head_judge' }],
            }),
          )
          expect(after.get(raised.teamId) ?? 0).toBeLessThanOrEqual(before.get(raised.teamId) ?? 0)
        },
      ),
    )
  })

  test('one more judgement that is at least as good as the mean so far never lowers the mean', () => {
    fc.assert(
      fc.property(anyJudgements, fc.constantFrom(...teams), (judgements, teamId) => {
        const free = judges.find(id => !judgements.some(one => one.teamId === teamId && one.judgeId === id))
        if (free === undefined) return
        const before = averageMeans(judgements).get(teamId) ?? 0
        const after = averageMeans([...judgements, judge(teamId, free, 5, 5)]).get(teamId) ?? 0
        expect(after).toBeGreaterThanOrEqual(before)
      }),
    )
  })

  test('the means decide nothing for a team with a single judgement', () => {
    const ranking = rank({
      judgements: [judge('a', 'j1', 5, 5), judge('b', 'j1', 4, 4), judge('b', 'j2', 4, 4)],
    })
    expect(ranking.teams[0]).toMatchObject({ teamId: 'b', rank: 1 })
    expect(ranking.teams.find(({ teamId }) => teamId === 'a')).toMatchObject({
      rank: null,
      unranked: 'too_few_judgements',
    })
  })

  test('settles equal teams by the written steps, shows each step, and leaves the rest to the head judge', () => {
    // All three have the mean 0.6; "a" has more in direction, and a judge puts "c" before "b".
    const judgements = [
      ...['j1', 'j2'].map(id => judge('a', id, 4, 1)),
      ...['j1', 'j2'].map(id => judge('b', id, 3, 3)),
      ...['j1', 'j2'].map(id => judge('c', id, 3, 3)),
      ...['j1', 'j2'].map(id => judge('d', id, 3, 3)),
    ]
    const orders = [['c', 'b']]
    const ranking = rank({ judgements, orders })
    expect([...ranksOf(ranking)].slice(0, 4)).toEqual([
      ['a', 1],
      ['c', 2],
      ['d', 3],
      ['b', 4],
    ])
    expect(ranking.ties.map(({ step, teams: tied }) => [step.by, tied])).toEqual([
      ['criterion', ['a', 'b', 'c', 'd']],
      ['order', ['b', 'c', 'd']],
    ])
    const tied = rank({ judgements, orders: [] })
    expect(tied.open).toEqual([['b', 'c', 'd']])
    expect(ranksOf(tied).get('b')).toBe(2)
    const decided = rank({
      judgements,
      orders: [],
      decisions: [{ teams: ['d', 'b', 'c'], reason: 'The demo of d ran.' }],
    })
    expect(decided.open).toEqual([])
    expect([...ranksOf(decided)].slice(0, 4).map(([teamId]) => teamId)).toEqual(['a', 'd', 'b', 'c'])
    expect(decided.ties.at(-1)?.reason).toBe('The demo of d ran.')
  })

  test('a gate that more judges deny than grant takes a team out, and a dispute is to be discussed', () => {
    const withGate = (teamId: string, judgeId: string, isPassed: boolean): CountedJudgement => ({
      ...judge(teamId, judgeId, 4, 4),
      gates: { rules: isPassed },
    })
    const judgements = [
      withGate('a', 'j1', false),
      withGate('a', 'j2', false),
      withGate('b', 'j1', true),
      withGate('b', 'j2', false),
    ]
    const { teams: rows } = rank({ judgements, gates: [{ id: 'rules', name: 'Rules' }] })
    expect(rows.find(({ teamId }) => teamId === 'a')).toMatchObject({ rank: null, unranked: 'gate' })
    expect(rows.find(({ teamId }) => teamId === 'b')).toMatchObject({ rank: 1, discuss: ['gate'] })
  })

  test('names teams on which the judges, or the two rankings, differ', () => {
    const judgements = teams.flatMap((teamId, at) => [
      judge(teamId, 'j1', 5 - (at % 6), 0),
      judge(teamId, 'j2', 5 - (at % 6), 0),
    ])
    const differing = [...judgements, judge('f', 'j3', 5, 5)]
    const { teams: rows } = rank({ judgements: differing, orders: [['f', 'a', 'b', 'c', 'd', 'e']] })
    expect(rows.find(({ teamId }) => teamId === 'f')?.discuss).toEqual(['judges_differ', 'rankings_differ'])
  })
})

describe('adjustMeans', () => {
  test('takes out what a strict judge costs the teams that happened to get that judge', () => {
    const shared = ['a', 'b', 'c', 'd'].flatMap(teamId => [
      judge(teamId, 'j1', 4, 4),
      judge(teamId, 'j2', 2, 2),
    ])
    const given = [...shared, judge('e', 'j1', 4, 4), judge('f', 'j2', 2, 2)]
    expect(arePanelsSampled(given)).toBe(true)
    const means = averageMeans(given)
    const { teams: adjusted, leniency } = adjustMeans(given)
    const apart = (values: ReadonlyMap<string, number>) => (values.get('e') ?? 0) - (values.get('f') ?? 0)
    expect(apart(means)).toBeCloseTo(0.4, 6)
    expect(Math.abs(apart(adjusted))).toBeLessThan(0.15)
    expect(leniency.get('j1') ?? 0).toBeGreaterThan(leniency.get('j2') ?? 0)
  })

  test('changes nothing between teams that were judged by the same judges', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 12, maxLength: 12 }), points => {
        const given = points.map((score, at) =>
          judge(teams[at % 6] ?? '', judges[Math.floor(at / 6)] ?? '', score, score),
        )
        expect(arePanelsSampled(given)).toBe(false)
        const means = averageMeans(given)
        const { teams: adjusted } = adjustMeans(given)
        for (const [teamId, mean] of means)
          expect((adjusted.get(teamId) ?? 0) - (adjusted.get('a') ?? 0)).toBeCloseTo(
            mean - (means.get('a') ?? 0),
            6,
          )
      }),
    )
  })
})

test('describeJudges shows who is lenient and whose scores rise over the day', () => {
  const others = teams.flatMap(teamId => [judge(teamId, 'j2', 3, 3), judge(teamId, 'j3', 3, 3)])
  const rising = teams.map((teamId, at) => ({ ...judge(teamId, 'j1', at < 3 ? 3 : 5, at < 3 ? 3 : 5), at }))
  const [first, second] = describeJudges([...others, ...rising])
  expect(first?.leniency ?? 0).toBeGreaterThan(second?.leniency ?? 0)
  expect(first?.drift ?? 0).toBeGreaterThan(0.2)
  expect(second?.drift).toBeLessThanOrEqual(0)
})
