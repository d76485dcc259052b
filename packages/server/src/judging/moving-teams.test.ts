// Properties of deals on a panel that is at work: what was begun never moves, and nothing that is forbidden is dealt.
import { expect, test } from 'bun:test'
import { judgingSetupExample } from '@fairgate/contracts/judging/setup.ts'
import fc from 'fast-check'
import type { JudgingRow } from '../store/statements/judging-records.ts'
import { assignTeams } from './assigned-teams.ts'
import type { Pair } from './deal-teams.ts'
import { JudgingLog, type ReadState } from './judging-log.ts'
import type { JudgingRecord } from './judging-records.ts'
import { JudgingService } from './judging-service.ts'

const teams = Array.from({ length: 12 }, (_, at) => `team-${at}`)
const names = Array.from({ length: 6 }, (_, at) => `Judge ${at}`)

/** The record in memory. */
function createPanel() {
  const rows: JudgingRow[] = []
  const log = new JudgingLog({
    clock: () => 1000,
    read: { readJudging: async ({ after }) => rows.filter(({ seq }) => seq > after) },
    write: {
      appendJudging: async ({ after, records }) => {
        if (after !== rows.length) return false
        rows.push(...records.map((record, at) => ({ seq: after + 1 + at, ...record })))
        return true
      },
    },
  })
  let ids = 0
  const panel = new JudgingService({
    log,
    numbersKey: new Uint8Array(32),
    newId: () => {
      ids += 1
      return String(ids)
    },
    directory: {
      teams: () => teams.map(teamId => ({ teamId, blocked: null })) as never,
      findTeam: teamId => ({ teamId, blocked: null }) as never,
    },
  })
  const note = (record: JudgingRecord) =>
    log.change('judge', null, () => ({ records: [record], audit: [], made: undefined }))
  const deal = async (replace?: string) => {
    const body = replace === undefined ? {} : { replace }
    const { outcome } = await panel.deal({ ...body, dry_run: true }, 'admin')
    await panel.deal({ ...body, preview_id: outcome.previewId }, 'admin')
  }
  return { log, panel, note, deal }
}

type Step =
  | {
      readonly kind: 'progress'
      readonly pick: number
      readonly to: 'begun' | 'done' | 'unable' | 'reopened'
    }
  | { readonly kind: 'deal' }
  | { readonly kind: 'replace'; readonly pick: number }
  | { readonly kind: 'conflict'; readonly pick: number }

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('progress' as const),
    pick: fc.nat(1000),
    to: fc.constantFrom('begun' as const, 'done' as const, 'unable' as const, 'reopened' as const),
  }),
  fc.record({ kind: fc.constant('deal' as const) }),
  fc.record({ kind: fc.constant('replace' as const), pick: fc.nat(5) }),
  fc.record({ kind: fc.constant('conflict' as const), pick: fc.nat(1000) }),
)

const writeKey = ({ teamId, judgeId }: Pair) => `${teamId} ${judgeId}`
const begunOf = (state: ReadState) =>
  state
    .pairs()
    .filter(pair => state.findProgress(pair) !== undefined)
    .map(writeKey)
const isFinishedIn = (state: ReadState, pair: Pair) =>
  ['done', 'unable'].includes(state.findProgress(pair)?.state ?? '')

// Shown to fail when a deal keeps nothing (`keepAssignments` returns an empty list), when a replacement keeps what was only begun, and when a judge
// who was unable may get the team again.
test('begun pairs stay through deals, replacements and conflicts of others, and no conflict is ever assigned', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 25 }), async steps => {
      const { log, panel, note, deal } = createPanel()
      const setup = { ...judgingSetupExample, calibration_team: 'team-0', judges_per_team: 2 }
      await panel.putSetup({ setup }, 'admin')
      await panel.importJudges({ judges: names.map(name => ({ name })) }, 'admin')
      await deal()
      for (const step of steps) {
        const state = await log.state()
        const before = [...state.pairs()]
        const begun = begunOf(state)
        const pair = before[('pick' in step ? step.pick : 0) % Math.max(1, before.length)]
        if (step.kind === 'deal') {
          await deal()
          const after = (await log.state()).pairs().map(writeKey)
          expect(begun.filter(key => !after.includes(key))).toEqual([])
        } else if (step.kind === 'replace') {
          const judge = state.judges()[step.pick]
          if (judge === undefined) continue
          await deal(judge.judgeId)
          const after = (await log.state()).pairs()
          const kept = before.filter(own => own.judgeId !== judge.judgeId || isFinishedIn(state, own))
          expect(after.slice(0, kept.length)).toEqual(kept)
          expect(after.slice(kept.length).filter(({ judgeId }) => judgeId === judge.judgeId)).toEqual([])
        } else if (step.kind === 'conflict' && pair !== undefined) {
          const { teamId, judgeId } = pair
          await panel.declareConflict({ team_id: teamId, judge_id: judgeId, reason: 'x' }, 'admin')
          const others = before.filter(own => writeKey(own) !== writeKey(pair))
          expect((await log.state()).pairs().slice(0, others.length)).toEqual(others)
        } else if (step.kind === 'progress' && pair !== undefined) {
          await note({ kind: 'begun', body: pair })
          const content = { scores: {}, revision: 0, isPaper: false, reason: null }
          if (step.to === 'done' || step.to === 'unable')
            await note({ kind: 'judgement', body: { ...pair, ...content, state: step.to } })
          if (step.to === 'reopened') await note({ kind: 'reopened', body: { ...pair, reason: 'x' } })
        }
        checkAssignments(await log.state())
      }
    }),
    { numRuns: 150 },
  )
})

function checkAssignments(state: ReadState): void {
  const assigned = [...assignTeams(state)].flatMap(([judgeId, own]) =>
    own.map(teamId => ({ teamId, judgeId })),
  )
  expect(assigned.filter(state.hasConflict)).toEqual([])
  expect(new Set(assigned.map(writeKey)).size).toBe(assigned.length)
  for (const { judgeId, isAbsent } of state.judges()) {
    const own = assigned.filter(pair => pair.judgeId === judgeId)
    if (!isAbsent && !state.hasConflict({ teamId: 'team-0', judgeId })) expect(own[0]?.teamId).toBe('team-0')
  }
}
