// Properties of the deal: coverage, places, conflicts, even loads, pairs, and the same deal for the same input.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Deal, dealTeams, type Pair } from './deal-teams.ts'

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}-${at}`)

function createDeal(
  changes: Partial<Deal> & { readonly teamCount: number; readonly judgeCount: number },
): Deal {
  const { teamCount, judgeCount, ...rest } = changes
  return {
    seed: 'seed',
    teams: names('team', teamCount),
    judges: names('judge', judgeCount).map(judgeId => ({ judgeId, places: 1000 })),
    mayJudge: () => true,
    judgesPerTeam: 3,
    kept: [],
    ...rest,
  }
}

const pairsOf = (deal: Deal): readonly Pair[] => [...deal.kept, ...dealTeams(deal).added]

function countBy(pairs: readonly Pair[], member: keyof Pair): Map<string, number> {
  const counts = new Map<string, number>()
  for (const pair of pairs) counts.set(pair[member], (counts.get(pair[member]) ?? 0) + 1)
  return counts
}

/** Any deal with conflicts, places and kept assignments that break none of them. */
const anyDeal = fc
  .record({
    teamCount: fc.integer({ min: 1, max: 14 }),
    judgeCount: fc.integer({ min: 1, max: 9 }),
    judgesPerTeam: fc.integer({ min: 1, max: 4 }),
    seed: fc.string({ maxLength: 8 }),
    conflicts: fc.array(fc.tuple(fc.nat(13), fc.nat(8)), { maxLength: 30 }),
    places: fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 9, maxLength: 9 }),
    kept: fc.uniqueArray(fc.tuple(fc.nat(13), fc.nat(8)), { maxLength: 6, selector: pair => pair.join(' ') }),
  })
  .map(({ conflicts, places, kept, ...given }): Deal => {
    const forbidden = new Set(conflicts.map(([team, judge]) => `team-${team} judge-${judge}`))
    const mayJudge = ({ teamId, judgeId }: Pair) => !forbidden.has(`${teamId} ${judgeId}`)
    const deal = createDeal({ ...given, mayJudge })
    return {
      ...deal,
      judges: deal.judges.map((judge, at) => ({ ...judge, places: places[at] ?? 0 })),
      kept: kept
        .map(([team, judge]) => ({ teamId: `team-${team}`, judgeId: `judge-${judge}` }))
        .filter(pair => deal.teams.includes(pair.teamId) && mayJudge(pair)),
    }
  })

describe('dealTeams', () => {
  test('never deals a conflict, a team twice to a judge, or more than the places', () => {
    fc.assert(
      fc.property(anyDeal, deal => {
        const { added } = dealTeams(deal)
        const all = [...deal.kept, ...added]
        expect(added.every(deal.mayJudge)).toBe(true)
        expect(new Set(all.map(({ teamId, judgeId }) => `${teamId} ${judgeId}`)).size).toBe(all.length)
        const kept = countBy(deal.kept, 'judgeId')
        const loads = countBy(all, 'judgeId')
        for (const { judgeId, places } of deal.judges)
          expect(loads.get(judgeId) ?? 0).toBeLessThanOrEqual(Math.max(places, kept.get(judgeId) ?? 0))
      }),
    )
  })

  test('gives no team more than asked, and names every team that has fewer', () => {
    fc.assert(
      fc.property(anyDeal, deal => {
        const { added, short } = dealTeams(deal)
        const kept = countBy(deal.kept, 'teamId')
        const counts = countBy([...deal.kept, ...added], 'teamId')
        const expected = deal.teams
          .map(teamId => ({ teamId, judges: counts.get(teamId) ?? 0 }))
          .filter(({ judges }) => judges < deal.judgesPerTeam)
        expect(short).toEqual(expected)
        for (const teamId of deal.teams)
          expect(counts.get(teamId) ?? 0).toBeLessThanOrEqual(
            Math.max(deal.judgesPerTeam, kept.get(teamId) ?? 0),
          )
      }),
    )
  })

  test('covers as many judgements as any deal could', () => {
    fc.assert(
      fc.property(anyDeal, deal => {
        const dealt = dealTeams(deal).added.length
        expect(dealt).toBe(countMaxFlow(deal))
      }),
    )
  })

  test('gives the same deal whatever the order of teams, judges and calls', () => {
    fc.assert(
      fc.property(anyDeal, deal => {
        const turned = { ...deal, teams: deal.teams.toReversed(), judges: deal.judges.toReversed() }
        expect(dealTeams(turned).added).toEqual(dealTeams(deal).added)
      }),
    )
    const deal = createDeal({ teamCount: 20, judgeCount: 8 })
    expect(dealTeams({ ...deal, seed: 'another' }).added).not.toEqual(dealTeams(deal).added)
  })

  test('without conflicts the loads differ by at most one', () => {
    const counts = fc.record({
      teamCount: fc.integer({ min: 1, max: 60 }),
      judgeCount: fc.integer({ min: 1, max: 40 }),
      judgesPerTeam: fc.integer({ min: 1, max: 5 }),
    })
    fc.assert(
      fc.property(counts, given => {
        const loads = countBy(pairsOf(createDeal(given)), 'judgeId')
        const all = names('judge', given.judgeCount).map(judgeId => loads.get(judgeId) ?? 0)
        expect(Math.max(...all) - Math.min(...all)).toBeLessThanOrEqual(1)
      }),
      { numRuns: 60 },
    )
  })

  test('no two judges are together on more than twice their fair share of teams', () => {
    const counts = fc.record({
      teamCount: fc.integer({ min: 10, max: 60 }),
      judgeCount: fc.integer({ min: 6, max: 40 }),
      judgesPerTeam: fc.integer({ min: 2, max: 4 }),
      seed: fc.string({ minLength: 1, maxLength: 4 }),
    })
    fc.assert(
      fc.property(counts, given => {
        const { teamCount, judgeCount, judgesPerTeam } = given
        const fair = (teamCount * judgesPerTeam * (judgesPerTeam - 1)) / (judgeCount * (judgeCount - 1))
        expect(Math.max(0, ...countTogether(pairsOf(createDeal(given))))).toBeLessThanOrEqual(
          Math.ceil(2 * fair),
        )
      }),
      { numRuns: 60 },
    )
  })

  test('judges read in different orders', () => {
    const pairs = pairsOf(createDeal({ teamCount: 12, judgeCount: 4, judgesPerTeam: 4 }))
    const orders = names('judge', 4).map(judge =>
      pairs
        .filter(({ judgeId }) => judgeId === judge)
        .map(({ teamId }) => teamId)
        .join(),
    )
    expect(new Set(orders).size).toBe(4)
  })

  test('a judge who is no longer dealt to keeps what stays, and others get the rest', () => {
    const deal = createDeal({ teamCount: 12, judgeCount: 6 })
    const first = dealTeams(deal).added
    const gone = first.filter(({ judgeId }) => judgeId === 'judge-2')
    const [done] = gone
    if (done === undefined) throw new Error('The judge has no team.')
    const kept = [done, ...first.filter(({ judgeId }) => judgeId !== 'judge-2')]
    const again = dealTeams({
      ...deal,
      judges: deal.judges.filter(({ judgeId }) => judgeId !== 'judge-2'),
      kept,
    })
    expect(again.short).toEqual([])
    expect(again.added.map(({ teamId }) => teamId).toSorted()).toEqual(
      gone
        .slice(1)
        .map(({ teamId }) => teamId)
        .toSorted(),
    )
    expect(again.added.some(({ judgeId }) => judgeId === 'judge-2')).toBe(false)
  })
})

/** How often each two judges are together. */
function countTogether(pairs: readonly Pair[]): number[] {
  const counts = new Map<string, number>()
  for (const [at, one] of pairs.entries()) {
    for (const other of pairs.slice(at + 1)) {
      if (one.teamId !== other.teamId) continue
      const key = [one.judgeId, other.judgeId].toSorted().join()
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  return [...counts.values()]
}

/** The most assignments that can be added, by augmenting paths over a flow of its own. */
function countMaxFlow({ teams, judges, mayJudge, judgesPerTeam, kept }: Deal): number {
  const isKept = new Set(kept.map(({ teamId, judgeId }) => `${teamId} ${judgeId}`))
  const keptLoads = countBy(kept, 'judgeId')
  const keptTeams = countBy(kept, 'teamId')
  const room = new Map(judges.map(({ judgeId, places }) => [judgeId, places - (keptLoads.get(judgeId) ?? 0)]))
  const taken = new Map<string, string[]>(judges.map(({ judgeId }) => [judgeId, []]))
  const place = (teamId: string, seen: Set<string>): boolean => {
    for (const { judgeId } of judges) {
      const own = taken.get(judgeId) ?? []
      if (seen.has(judgeId) || own.includes(teamId)) continue
      if (isKept.has(`${teamId} ${judgeId}`) || !mayJudge({ teamId, judgeId })) continue
      seen.add(judgeId)
      if (own.length < (room.get(judgeId) ?? 0)) {
        own.push(teamId)
        return true
      }
      for (const other of [...own]) {
        if (!place(other, seen)) continue
        own[own.indexOf(other)] = teamId
        return true
      }
    }
    return false
  }
  let count = 0
  for (const teamId of teams) {
    for (let missing = judgesPerTeam - (keptTeams.get(teamId) ?? 0); missing > 0; missing -= 1) {
      if (place(teamId, new Set())) count += 1
    }
  }
  return count
}
