// What judges write about their teams: begins, saves, finishes and reopens judgements, and keeps the order of a judge's own teams.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type {
  FinishJudgementBody,
  JudgementContent,
  JudgementReply,
  OrderBody,
  OrderReply,
  PaperBody,
  SaveJudgementBody,
} from '@fairgate/contracts/judging/scores.ts'
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import { formatZonedMoment } from '@fairgate/contracts/text/zoned-time.ts'
import { toAuditRow } from '../directory/audit.ts'
import type { Directory } from '../directory/create-directory.ts'
import type { Draft } from '../store/statements/judging-drafts.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'
import { assignTeams, isFinished, listCounting } from './assigned-teams.ts'
import { emptyContent, keepKnown, requireCited, requireComplete, requireOpen } from './check-judgement.ts'
import type { Pair } from './deal-teams.ts'
import type { Disguise } from './disguise.ts'
import { type Change, type JudgingLog, type ReadState, requireJudge, requireSetup } from './judging-log.ts'
import type { Judgement, JudgingRecord } from './judging-records.ts'
import type { JudgingService } from './judging-service.ts'
import type { Progress } from './judging-state.ts'
import { isJudged } from './list-judged.ts'
import { findTied, isWhole, orderTeams, requireWhole, type WeighedTeam } from './order-teams.ts'
import { readWindow } from './scoring-window.ts'
import { weighScores } from './weigh-scores.ts'

export type ScoringDependencies = Pick<World, 'clock'> & {
  readonly log: JudgingLog
  readonly read: Pick<Store['read'], 'listDraftHeads' | 'readBoard' | 'readDraft'>
  readonly write: Pick<Store['write'], 'saveDraft'>
  readonly directory: Pick<Directory, 'event' | 'findTeam'>
  readonly disguises: Disguises
  readonly panel: Pick<JudgingService, 'declareConflict'>
}

/** How the judges of this set-up know the teams. */
export type Disguises = {
  readonly of: (state: ReadState) => Disguise
  /** As of now, with the names that texts may have. */
  readonly current: () => Promise<Disguise>
}

/** The judge who writes. `actor`: the name for the audit. */
export type Writer = { readonly judgeId: string; readonly actor: string }

/** `team`: as this judge knows it, here and below. */
type Own = Omit<JudgementReply, 'as_of'>

export class ScoringService {
  readonly #given: ScoringDependencies

  constructor(given: ScoringDependencies) {
    this.#given = given
  }

  /** Records once that the judge reads this team; from then on no deal moves it. Throws ApiError `team_not_found`, `admin_forbidden`. */
  async begin({ judgeId, actor }: Writer, team: string): Promise<Own> {
    await this.#given.log.change(actor, null, state => {
      const pair = this.#requireOwn(state, judgeId, team)
      return { records: beginRecords(state, pair), audit: [], made: undefined }
    })
    return await this.read(judgeId, team)
  }

  /** Throws ApiError `team_not_found`, `admin_forbidden`. */
  async read(judgeId: string, team: string): Promise<Own> {
    const { log, read, disguises } = this.#given
    const disguise = await disguises.current()
    const state = await log.state()
    const pair = this.#requireOwn(state, judgeId, team)
    return describeJudgement(state, disguise, pair, await read.readDraft(pair))
  }

  /**
   * Saves a draft, in one statement. Throws ApiError `team_not_found`, `admin_forbidden`, `scores_closed`, `invalid_request`, and `conflict`: with
   * the param `revision` if it was made from another revision than the newest, without one if the judgement is finished.
   */
  async save(writer: Writer, team: string, body: SaveJudgementBody): Promise<Own> {
    const { log, read, write, clock, disguises } = this.#given
    const { judgeId } = writer
    const { revision: seen, device = null, ...given } = body
    const state = await log.state()
    const pair = this.#requireOwn(state, judgeId, team)
    const setup = this.#requireOpen(state, pair)
    if (isFinished(state, pair)) throw refuseFrozen()
    const content = JSON.stringify(keepKnown(setup, given))
    if (state.findProgress(pair) === undefined) await this.begin(writer, team)
    const now = clock()
    const isSaved = await write.saveDraft({ ...pair, seen, content, device, now })
    const draft: Draft | null = isSaved
      ? { ...pair, revision: seen + 1, content, device, savedAt: now }
      : await read.readDraft(pair)
    const { revision = 0 } = draft ?? {}
    // The reply to this very save may have been lost.
    const isRepeated = revision === seen + 1 && draft?.content === content && draft.device === device
    if (!isSaved && !isRepeated) throw refuseStale(revision)
    return describeJudgement(state, disguises.of(state), pair, draft)
  }

  /**
   * Finishes a judgement as it was saved. Throws what `save` throws, and `invalid_request` that names what is missing, or an entry that does not
   * exist. Finishing the same revision again changes nothing.
   */
  async finish(writer: Writer, team: string, { revision, device }: FinishJudgementBody): Promise<Own> {
    await this.#change(writer, team, null, async (state, pair) => {
      const setup = this.#requireOpen(state, pair)
      const { state: reached, judgement = null } = state.findProgress(pair) ?? {}
      if (reached === 'done' && judgement?.revision === revision) return null
      if (isFinished(state, pair)) throw refuseFrozen()
      const draft = await this.#given.read.readDraft(pair)
      if ((draft?.revision ?? 0) !== revision) throw refuseStale(draft?.revision ?? 0)
      const content = keepKnown(setup, readContent(draft))
      await this.#requireJudged(setup, pair.teamId, content)
      const body = { ...pair, ...content, state: 'done', revision, isPaper: false, reason: null } as const
      return { body: { kind: 'judgement', body }, content, seen: revision, device: device ?? null }
    })
    return await this.read(writer.judgeId, team)
  }

  /** The judge could not judge this team. Throws what `save` throws. */
  async giveUp(writer: Writer, team: string, reason: string): Promise<Own> {
    await this.#change(writer, team, reason, async (state, pair) => {
      const setup = this.#requireOpen(state, pair)
      if (isFinished(state, pair)) throw refuseFrozen()
      const draft = await this.#given.read.readDraft(pair)
      const content = keepKnown(setup, readContent(draft))
      const { revision = 0, device = null } = draft ?? {}
      const body = { ...pair, ...content, state: 'unable', revision, isPaper: false, reason } as const
      return { body: { kind: 'judgement', body }, content, seen: revision, device }
    })
    return await this.read(writer.judgeId, team)
  }

  /** Opens a finished judgement again; until it is finished again it does not count. Throws what `save` throws. */
  async reopen(writer: Writer, team: string, reason: string): Promise<Own> {
    await this.#change(writer, team, reason, async (state, pair) => {
      this.#requireOpen(state, pair)
      if (!isFinished(state, pair))
        throw new ApiError('conflict', {
          message: 'This judgement is not finished, so there is nothing to reopen.',
        })
      const draft = await this.#given.read.readDraft(pair)
      const { revision = 0, device = null } = draft ?? {}
      return {
        body: { kind: 'reopened', body: { ...pair, reason } },
        content: readContent(draft),
        seen: revision,
        device,
      }
    })
    return await this.read(writer.judgeId, team)
  }

  /** The judge must not judge this team, which may be any. Throws ApiError `team_not_found`. */
  async declareConflict({ judgeId, actor }: Writer, team: string, reason: string): Promise<void> {
    const { log, disguises, panel } = this.#given
    const teamId = disguises.of(await log.state()).findTeam(team)
    if (teamId === null) throw refuseTeam('team')
    await panel.declareConflict({ team_id: teamId, judge_id: judgeId, reason }, actor)
  }

  /**
   * A sheet of paper, entered for a judge and finished at once, also outside of the time for scores. Throws ApiError `judge_not_found`,
   * `team_not_found`, `invalid_request`, and `conflict` if the judge does not have this team.
   */
  async enterPaper(
    { judge_id: judgeId, team_id: teamId, reason = null, ...given }: PaperBody,
    actor: string,
  ) {
    const pair = { judgeId, teamId }
    return await this.#given.log.change(actor, reason, async (state, acting) => {
      const { name } = requireJudge(state, judgeId)
      const found = this.#given.directory.findTeam(teamId)
      if (found === undefined || !isJudged(found)) throw refuseTeam('team_id')
      if (assignTeams(state).get(judgeId)?.includes(teamId) !== true)
        throw new ApiError('conflict', { message: `${name} does not have the team "${teamId}".` })
      const setup = requireSetup(state)
      const content = keepKnown(setup, given)
      await this.#requireJudged(setup, teamId, content)
      const draft = await this.#given.read.readDraft(pair)
      const isClosed = isFinished(state, pair)
      const replaced = !isClosed && (draft?.savedAt ?? null) !== null ? readContent(draft) : null
      if (reason === null && (isClosed || replaced !== null))
        throw new ApiError('invalid_request', {
          param: 'reason',
          message: `${name} has already written about this team. Give the reason why paper replaces it.`,
        })
      const { revision = 0 } = draft ?? {}
      const judgement = { ...pair, ...content, state: 'done', revision, isPaper: true, reason } as const
      return {
        records: [...beginRecords(state, pair), { kind: 'judgement', body: judgement }],
        audit: [
          toAuditRow(acting, {
            action: 'judging.paper',
            teamId,
            target: judgeId,
            // What was finished stays on record; a draft would be lost.
            before: {
              state: state.findProgress(pair)?.state ?? 'to_read',
              ...(replaced === null ? {} : { draft: replaced }),
            },
            after: { state: 'done', judge: name },
          }),
        ],
        draft: { ...pair, seen: revision, content: JSON.stringify(content), device: null, now: acting.now },
        made: undefined,
      }
    })
  }

  /** The judge's finished teams, best first. */
  async readOrder(judgeId: string): Promise<Omit<OrderReply, 'as_of'>> {
    const state = await this.#given.log.state()
    const disguise = this.#given.disguises.of(state)
    const finished = listOwnFinished(state, judgeId, isShownBy(disguise))
    const order = state.findOrder(judgeId)
    const tied = findTied(finished)
    return {
      items: orderTeams(finished, order?.teams ?? []).flatMap(({ teamId, mean }) => {
        const team = disguise.refOf(teamId)
        return team === null ? [] : [{ team, name: disguise.nameOf(teamId), mean, tied: tied.has(teamId) }]
      }),
      revision: order?.revision ?? 0,
      saved: order !== undefined && isWhole(finished, order.teams),
      saved_at: order === undefined ? null : isoTime(order.at),
    }
  }

  /** Throws ApiError `invalid_request` if these are not exactly the finished teams, `scores_closed`, and `conflict` for another revision. */
  async saveOrder(
    { judgeId, actor }: Writer,
    { teams, revision }: OrderBody,
  ): Promise<Omit<OrderReply, 'as_of'>> {
    await this.#given.log.change(actor, null, (state, acting) => {
      this.#requireOpen(state, { judgeId })
      const disguise = this.#given.disguises.of(state)
      const ids = teams.map(team => disguise.findTeam(team) ?? team)
      const current = state.findOrder(judgeId)
      if (current?.teams.join('\n') === ids.join('\n')) return { records: [], audit: [], made: undefined }
      if ((current?.revision ?? 0) !== revision)
        throw new ApiError('conflict', {
          param: 'revision',
          message: `Your order has the revision ${current?.revision ?? 0} by now, saved elsewhere. Read it, and change that one.`,
        })
      requireWhole(listOwnFinished(state, judgeId, isShownBy(disguise)), ids, disguise.nameOf)
      const body = { judgeId, teams: ids, revision: revision + 1 }
      return {
        records: [{ kind: 'order', body }],
        audit: [
          toAuditRow(acting, {
            action: 'judging.order',
            target: judgeId,
            before: current === undefined ? null : { teams: current.teams },
            after: { teams: ids },
          }),
        ],
        made: undefined,
      }
    })
    return await this.readOrder(judgeId)
  }

  /** Appends a record about one judgement, with its draft; `decide` returns null if there is nothing to do. */
  async #change(
    { judgeId, actor }: Writer,
    team: string,
    reason: string | null,
    decide: (state: ReadState, pair: Pair) => Promise<Decided | null>,
  ): Promise<void> {
    await this.#given.log.change(actor, reason, async (state, acting): Promise<Change<undefined>> => {
      const pair = this.#requireOwn(state, judgeId, team)
      const before = state.findProgress(pair)?.state ?? 'to_read'
      const decided = await decide(state, pair)
      if (decided === null) return { records: [], audit: [], made: undefined }
      const { body, content, seen, device } = decided
      const after = body.kind === 'judgement' ? body.body.state : 'reopened'
      return {
        records: [...beginRecords(state, pair), body],
        audit: [
          toAuditRow(acting, {
            action: `judging.${after}`,
            teamId: pair.teamId,
            target: judgeId,
            before: { state: before },
            after: { state: after },
          }),
        ],
        draft: { ...pair, seen, content: JSON.stringify(content), device, now: acting.now },
        made: undefined,
      }
    })
  }

  #requireOwn(state: ReadState, judgeId: string, team: string): Pair {
    const teamId = this.#given.disguises.of(state).findTeam(team)
    if (teamId === null) throw refuseTeam('team')
    if (assignTeams(state).get(judgeId)?.includes(teamId) === true) return { judgeId, teamId }
    throw new ApiError('admin_forbidden', {
      message: 'This team is not one of yours: you can read it, and other judges score it.',
    })
  }

  /** What the head judge wants judged again can be, at any time. */
  #requireOpen(state: ReadState, judged: Pick<Pair, 'judgeId'> & Partial<Pair>): JudgingSetup {
    const setup = requireSetup(state)
    if (state.results.isRejudged(judged)) return setup
    if (state.results.publication() !== null)
      throw new ApiError('scores_closed', {
        message:
          'The results are published, or about to be. Ask the head judge, who can have teams judged again.',
      })
    const { timeZone } = this.#given.directory.event()
    requireOpen(readWindow(setup), this.#given.clock(), at => formatZonedMoment(at, timeZone))
    return setup
  }

  /** Throws ApiError `invalid_request`. */
  async #requireJudged(setup: JudgingSetup, teamId: string, content: JudgementContent): Promise<void> {
    requireComplete(setup, content)
    const hasCites = Object.values(content.scores).some(({ cites = [] }) => cites.length > 0)
    if (hasCites) requireCited(content, (await this.#given.read.readBoard({ teamId }))?.headSeq ?? 0)
  }
}

type Decided = {
  readonly body: Extract<JudgingRecord, { readonly kind: 'judgement' | 'reopened' }>
  readonly content: JudgementContent
  readonly seen: number
  readonly device: string | null
}

function beginRecords(state: ReadState, pair: Pair): JudgingRecord[] {
  return state.findProgress(pair) === undefined ? [{ kind: 'begun', body: pair }] : []
}

/** In the order of reading, without teams that are no longer shown to judges. */
export function listOwnFinished(
  state: ReadState,
  judgeId: string,
  isShown: (teamId: string) => boolean,
): WeighedTeam[] {
  const criteria = state.setup()?.value.criteria ?? []
  const own = assignTeams(state).get(judgeId) ?? []
  return own.filter(isShown).flatMap(teamId => {
    const found = state.findProgress({ teamId, judgeId })
    const mean = found?.state === 'done' ? weighScores(criteria, found.judgement?.scores ?? {}) : null
    return mean === null ? [] : [{ teamId, mean }]
  })
}

export function isShownBy({ refOf }: Disguise) {
  return (teamId: string): boolean => refOf(teamId) !== null
}

function describeJudgement(state: ReadState, disguise: Disguise, pair: Pair, draft: Draft | null): Own {
  const { teamId, judgeId } = pair
  const progress = state.findProgress(pair)
  const isClosed = isFinished(state, pair)
  const {
    scores,
    gates = {},
    comment_team = '',
    comment_judges = '',
  } = (isClosed ? progress?.judgement : null) ?? readContent(draft)
  return {
    team: disguise.refOf(teamId) ?? teamId,
    own: {
      scores,
      gates,
      comment_team,
      comment_judges,
      revision: draft?.revision ?? 0,
      state: progress?.state ?? 'to_read',
      saved_at: (draft?.savedAt ?? null) === null ? null : isoTime(draft?.savedAt ?? 0),
      device: draft?.device ?? null,
      paper: isClosed && progress?.judgement?.isPaper === true,
      reason: reasonOf(progress),
    },
    others:
      progress?.state !== 'done'
        ? null
        : listCounting(state)
            .filter(other => other.teamId === teamId && other.judgeId !== judgeId)
            .map(other => describeOther(state, disguise, other)),
  }
}

function describeOther(state: ReadState, disguise: Disguise, judgement: Judgement) {
  const { teamId, judgeId, scores, gates = {}, comment_judges = '', isPaper } = judgement
  return {
    judge: state.findJudge(judgeId)?.name ?? '',
    // The other judges may know the team, and the head judge does.
    ...disguise.cover(teamId, { scores, comment_judges }),
    gates,
    paper: isPaper,
  }
}

/** Why the judge could not judge, or has opened it again. */
export function reasonOf(progress: Progress | undefined): string | null {
  if (progress === undefined) return null
  return progress.state === 'begun' ? progress.reopened : (progress.judgement?.reason ?? null)
}

function readContent(draft: Draft | null): JudgementContent {
  return draft === null ? emptyContent : { ...emptyContent, ...JSON.parse(draft.content) }
}

function refuseTeam(param: string): ApiError {
  return new ApiError('team_not_found', { param })
}

function refuseStale(revision: number): ApiError {
  return new ApiError('conflict', {
    param: 'revision',
    message: `This judgement has the revision ${revision} by now, saved elsewhere. Read it, and join both.`,
  })
}

function refuseFrozen(): ApiError {
  return new ApiError('conflict', {
    message: 'This judgement is finished. Reopen it first, with a reason.',
  })
}
