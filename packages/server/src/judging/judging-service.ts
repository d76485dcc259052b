// Judging before the first score: the set-up, the panel, conflicts, and which judge gets which teams. Every change is a record.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type {
  ChangeJudgeBody,
  ConflictBody,
  DealBody,
  NewJudgesBody,
} from '@fairgate/contracts/judging/panel.ts'
import { type PlanQuery, type PutSetupBody, usualPanel } from '@fairgate/contracts/judging/setup.ts'
import type { PlannedChange } from '@fairgate/contracts/management/planned-action.ts'
import { type Acting, toAuditRow } from '../directory/audit.ts'
import type { Directory } from '../directory/create-directory.ts'
import { type ActionResult, planChange } from '../directory/planned-action.ts'
import { refuseValue, requireTeam } from '../directory/refusals.ts'
import type { AuditEntry } from '../store/statements/audit.ts'
import type { World } from '../world/world.ts'
import { groupByJudge, keepAssignments } from './assigned-teams.ts'
import { numberTeams } from './blind/draw-numbers.ts'
import { createMayJudge } from './create-may-judge.ts'
import { type Dealt, dealTeams, type Pair } from './deal-teams.ts'
import { type JudgingLog, type ReadState, requireJudge, requireSetup } from './judging-log.ts'
import type { Conflict, Judge } from './judging-records.ts'
import { listJudged } from './list-judged.ts'
import { type CoveragePlan, countPlaces, planCoverage } from './plan-coverage.ts'
import { checkTracks, planJudges, planSetup } from './plan-panel.ts'
import { readJudgesCsv } from './read-judges-csv.ts'

export type JudgingDependencies = Pick<World, 'newId'> & {
  readonly log: JudgingLog
  /** See `deriveNumbersKey`. */
  readonly numbersKey: Uint8Array
  readonly directory: Pick<Directory, 'teams' | 'findTeam'>
}

export class JudgingService {
  readonly #given: JudgingDependencies

  constructor(given: JudgingDependencies) {
    this.#given = given
  }

  /**
   * Throws ApiError `invalid_request`, and `conflict` if it was made from another version than the current one, or would change what was
   * scored already.
   */
  async putSetup({ setup, version, reason }: PutSetupBody, actor: string): Promise<void> {
    const { directory, log } = this.#given
    await log.change(actor, reason, (state, acting) => {
      const current = state.setup()?.version ?? 0
      if (version !== undefined && current !== version)
        throw new ApiError('conflict', {
          param: 'version',
          message: `The set-up has the version ${current}. Read it, and make your change from that one.`,
        })
      const hasTeam = (teamId: string) => directory.findTeam(teamId) !== undefined
      return { ...planSetup(state, setup, hasTeam, acting), made: undefined }
    })
  }

  /** What the panel's time is enough for: as it is, or with the figures of the query. */
  async plan(query: PlanQuery): Promise<CoveragePlan & { readonly judgesPerTeam: number }> {
    const state = await this.#given.log.state()
    const setup = state.setup()?.value
    const size = { ...usualPanel, ...setup, ...query }
    const present = state.judges().filter(({ isAbsent }) => !isAbsent)
    const minutes =
      query.judge_count === undefined
        ? present.map(judge => judge.minutes ?? size.minutes_per_judge)
        : Array<number>(query.judge_count).fill(size.minutes_per_judge)
    const judgesPerTeam = size.judges_per_team
    return {
      judgesPerTeam,
      ...planCoverage({
        teams: query.team_count ?? this.listTeams().length,
        minutes,
        minutesPerTeam: size.minutes_per_team,
        judgesPerTeam,
        hasCalibration: typeof setup?.calibration_team === 'string',
      }),
    }
  }

  /** Adds judges, or changes those of the same name. Throws ApiError `invalid_request`, `conflict`. */
  importJudges(body: NewJudgesBody, actor: string): Promise<ActionResult<undefined>> {
    const { judges, csv } = body
    if ((judges ?? null) === (csv ?? null)) throw refuseValue('judges', 'send either judges or csv.')
    const listed = judges ?? readJudgesCsv(csv ?? '')
    const { log, newId } = this.#given
    return log.act(body, actor, (state, acting) => {
      const { changes, ...change } = planJudges(state, listed, state.setup()?.value.tracks, newId, acting)
      return { ...change, plan: { changes }, made: undefined }
    })
  }

  /** Throws ApiError `judge_not_found`, `invalid_request`. */
  async changeJudge(judgeId: string, { reason, ...fields }: ChangeJudgeBody, actor: string): Promise<void> {
    await this.#given.log.change(actor, reason, (state, acting) => {
      const before = requireJudge(state, judgeId)
      checkTracks('tracks', state.setup()?.value.tracks, fields.tracks ?? [])
      const {
        email = before.email,
        minutes = before.minutes,
        tags = before.tags,
        tracks = before.tracks,
      } = fields
      const isAbsent = fields.absent ?? before.isAbsent
      const judge = { ...before, email, minutes, tags, tracks, isAbsent }
      return {
        records: [{ kind: 'judge', body: judge }],
        audit: [audit(acting, 'judging.judge', judgeId, before, judge)],
        made: undefined,
      }
    })
  }

  /**
   * A judge who must not judge a team. If the judge has it, another one gets it, and nothing else moves, also if it was judged already: that
   * judgement stays on record and no longer counts. Throws ApiError `team_not_found`,
   * `judge_not_found`.
   */
  async declareConflict(
    { team_id: teamId, judge_id: judgeId, reason }: ConflictBody,
    actor: string,
  ): Promise<void> {
    requireTeam(this.#given.directory, teamId)
    await this.#given.log.change(actor, reason, (state, acting) => {
      const { name } = requireJudge(state, judgeId)
      const conflict = { teamId, judgeId, reason }
      const others = state.pairs().filter(pair => pair.teamId !== teamId || pair.judgeId !== judgeId)
      const isAssigned = others.length < state.pairs().length
      const pairs = isAssigned
        ? join(
            others,
            this.#deal(state, { teams: [teamId], kept: others, conflicts: [...state.conflicts(), conflict] }),
          )
        : null
      return {
        records: [
          { kind: 'conflict', body: conflict },
          ...(pairs === null
            ? []
            : [...numberTeams(this.#given, state), { kind: 'deal', body: pairs } as const]),
        ],
        audit: [
          toAuditRow(acting, {
            action: 'judging.conflict',
            teamId,
            target: judgeId,
            before: null,
            after: { judge: name },
          }),
        ],
        made: undefined,
      }
    })
  }

  /** Deals the teams: all again, or those of a judge who is absent. Throws ApiError `judge_not_found`, `conflict` without a set-up. */
  deal(body: DealBody, actor: string): Promise<ActionResult<undefined>> {
    return this.#given.log.act(body, actor, (state, acting) => {
      const absent = typeof body.replace === 'string' ? requireJudge(state, body.replace) : null
      const kept = keepAssignments(state, absent?.judgeId ?? null)
      const judges = state
        .judges()
        .map(judge => (judge.judgeId === absent?.judgeId ? { ...judge, isAbsent: true } : judge))
      const isKept = new Set(kept)
      const teams =
        absent === null
          ? this.listTeams()
          : state
              .pairs()
              .filter(pair => !isKept.has(pair))
              .map(({ teamId }) => teamId)
      const dealt = this.#deal(state, { teams, kept, judges })
      const pairs = join(kept, dealt)
      const changes = [
        ...(absent === null ? [] : planChange('absent', absent.name, absent.isAbsent, true)),
        ...describeDeal(state, pairs),
      ]
      const after = judges.find(({ judgeId }) => judgeId === absent?.judgeId)
      return {
        plan: { changes, warnings: dealt.short.length === 0 ? [] : [describeShort(dealt)] },
        records: [
          // Without the judge's record the deal would be undone by the next one.
          ...(after === undefined || absent?.isAbsent === true
            ? []
            : [{ kind: 'judge', body: after } as const]),
          ...numberTeams(this.#given, state),
          { kind: 'deal', body: pairs },
        ],
        audit: [
          audit(
            acting,
            'judging.deal',
            absent?.judgeId ?? '',
            { assignments: state.pairs().length },
            { assignments: pairs.length },
          ),
        ],
        made: undefined,
      }
    })
  }

  readonly listTeams = (): string[] => listJudged(this.#given.directory)

  #deal(
    state: ReadState,
    changes: {
      readonly teams: readonly string[]
      readonly kept: readonly Pair[]
      readonly judges?: readonly Judge[]
      readonly conflicts?: readonly Conflict[]
    },
  ): Dealt {
    const setup = requireSetup(state)
    const { teams, kept, judges = state.judges(), conflicts = state.conflicts() } = changes
    const calibration = setup.calibration_team ?? null
    const hasCalibration = calibration !== null
    const size = { minutesPerTeam: setup.minutes_per_team, hasCalibration }
    const judged = new Set(this.listTeams())
    const mayJudge = createMayJudge({ setup, judges, conflicts })
    // Who could not judge a team keeps it, and another judge gets it too.
    const isUnable = (pair: Pair) => state.findProgress(pair)?.state === 'unable'
    return dealTeams({
      seed: setup.seed,
      teams: teams.filter(teamId => teamId !== calibration && judged.has(teamId)),
      judges: judges
        .filter(({ isAbsent }) => !isAbsent)
        .map(({ judgeId, minutes }) => ({
          judgeId,
          places: countPlaces(minutes ?? setup.minutes_per_judge, size),
        })),
      mayJudge: pair => mayJudge(pair) && !isUnable(pair),
      judgesPerTeam: setup.judges_per_team,
      kept: kept.filter(pair => !isUnable(pair)),
    })
  }
}

function join(kept: readonly Pair[], { added }: Dealt): readonly Pair[] {
  return [...kept, ...added]
}

/** A line for each judge whose teams change. */
function describeDeal(state: ReadState, pairs: readonly Pair[]): PlannedChange[] {
  const before = groupByJudge(state.pairs())
  const after = groupByJudge(pairs)
  const list = (teams: readonly string[] | undefined) =>
    teams === undefined ? null : teams.toSorted().join(', ')
  return state
    .judges()
    .flatMap(({ judgeId, name }) =>
      planChange('teams', name, list(before.get(judgeId)), list(after.get(judgeId))),
    )
}

function describeShort({ short }: Dealt): string {
  const [first] = short
  const example = first === undefined ? '' : `, such as ${first.teamId} with ${first.judges}`
  const count = short.length === 1 ? 'One team gets' : `${short.length} teams get`
  return `${count} fewer judges than the set-up asks for${example}. Add judges or minutes, or ask for fewer.`
}

function audit(
  acting: Acting,
  action: string,
  target: string,
  before: object | null,
  after: object | null,
): AuditEntry {
  return toAuditRow(acting, { action, target, before, after })
}
