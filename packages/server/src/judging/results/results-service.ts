// Results: read at any time, settled by the head judge, judged again as a set, verified by a second person, published once, then only corrected.
import { createHash } from 'node:crypto'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type {
  CloseRejudgingBody,
  CorrectResultsBody,
  DecideTieBody,
  OpenRejudgingBody,
  OwnResults,
  PublishedResults,
  PublishResultsBody,
  RejudgingReply,
  ResultsReply,
  VerifyResultsBody,
} from '@fairgate/contracts/judging/results.ts'
import type { ActionBody } from '@fairgate/contracts/management/planned-action.ts'
import { toAuditRow } from '../../directory/audit.ts'
import type { Directory } from '../../directory/create-directory.ts'
import { parseZonedMoment } from '../../directory/parse-times.ts'
import { type ActionResult, planChange } from '../../directory/planned-action.ts'
import { refuseValue, requireTeam } from '../../directory/refusals.ts'
import type { Store } from '../../store/store.ts'
import type { World } from '../../world/world.ts'
import { listCounting, listWaiting } from '../assigned-teams.ts'
import { type JudgingLog, type ReadState, requireJudge, requireSetup } from '../judging-log.ts'
import type { FrozenResults } from '../judging-records.ts'
import { listJudged } from '../list-judged.ts'
import {
  collectResults,
  describeRejudging,
  describeResults,
  listMissing,
  type Results,
} from './collect-results.ts'

export type ResultsDependencies = Pick<World, 'clock' | 'newId'> & {
  readonly log: JudgingLog
  readonly directory: Pick<Directory, 'teams' | 'findTeam' | 'event'>
  readonly read: Pick<Store['read'], 'readDatabaseClock'>
}

type Current = {
  readonly results: Results
  readonly described: ReturnType<typeof describeResults>
  readonly digest: string
}

export class ResultsService {
  readonly #given: ResultsDependencies
  /** Everybody who looks between two changes gets the same. */
  #kept: { readonly basis: string; readonly current: Current } | null = null
  /** Head of the record at which a publication was seen to have happened; it never ceases to be published. */
  #seenPublished = false

  constructor(given: ResultsDependencies) {
    this.#given = given
  }

  /** Throws ApiError `conflict` without a set-up. */
  async read(): Promise<Omit<ResultsReply, 'as_of'>> {
    const state = await this.#given.log.state()
    const { results, described, digest } = this.#collect(state)
    const verification = state.results.verification()
    const publication = state.results.publication()
    return {
      digest,
      ...described,
      rejudging: describeRejudging(state),
      verification:
        verification === null
          ? null
          : {
              by: verification.actor,
              at: isoTime(verification.at),
              note: verification.note,
              current: verification.digest === digest,
            },
      publication:
        publication === null
          ? null
          : {
              at: isoTime(publication.publishAt),
              by: publication.actor,
              published: await this.#isPublished(state),
              corrections: listCorrections(state),
            },
      missing: listMissing(state, results, this.#given.clock()),
    }
  }

  /** The head judge's choice between teams that are equal after all other steps. Throws ApiError `team_not_found`, `conflict`. */
  async decideTie({ teams, reason }: DecideTieBody, actor: string): Promise<void> {
    await this.#given.log.change(actor, reason, (state, acting) => {
      const { results } = this.#collect(state)
      for (const teamId of teams) requireTeam(this.#given.directory, teamId)
      const isOpen = results.ranking.ties.some(
        ({ step, teams: tied }) =>
          step.by === 'head_judge' && tied.length === teams.length && tied.every(id => teams.includes(id)),
      )
      if (!isOpen)
        throw new ApiError('conflict', {
          param: 'teams',
          message:
            'These are not all the teams of one tie that the other steps leave. Read the results again.',
        })
      const audited = { action: 'judging.tie', target: teams.join(' '), before: null, after: { teams } }
      return {
        records: [{ kind: 'tie_decided', body: { teams, reason } }],
        audit: [toAuditRow(acting, audited)],
        made: undefined,
      }
    })
  }

  /** Judges of these teams judge them again; what they said before counts until it is applied. */
  openRejudging(body: OpenRejudgingBody, actor: string): Promise<ActionResult<undefined>> {
    const { teams, judges, reason } = body
    return this.#given.log.act(body, actor, (state, acting) => {
      if (state.results.rejudging() !== null)
        throw new ApiError('conflict', {
          message: 'A re-judging is open already. Apply or discard it first.',
        })
      for (const teamId of teams) requireTeam(this.#given.directory, teamId)
      for (const judgeId of judges ?? []) requireJudge(state, judgeId)
      const pairs = listCounting(state)
        .filter(({ teamId, judgeId }) => teams.includes(teamId) && (judges?.includes(judgeId) ?? true))
        .map(({ teamId, judgeId }) => ({ teamId, judgeId }))
      if (pairs.length === 0)
        throw new ApiError('conflict', {
          message: 'There is no finished judgement of these teams to repeat.',
        })
      const rejudgingId = `rej_${this.#given.newId()}`
      const nameOf = (judgeId: string) => state.findJudge(judgeId)?.name ?? judgeId
      return {
        plan: {
          changes: pairs.flatMap(({ teamId, judgeId }) =>
            planChange('judgement', `${teamId}, ${nameOf(judgeId)}`, 'done', 'to be judged again'),
          ),
        },
        records: [{ kind: 'rejudging', body: { rejudgingId, pairs, reason } }],
        audit: [
          toAuditRow(acting, {
            action: 'judging.rejudge',
            target: rejudgingId,
            before: null,
            after: { judgements: pairs.length },
          }),
        ],
        made: undefined,
      }
    })
  }

  /** What would change. Throws ApiError `conflict` if none is open. */
  async readRejudging(): Promise<Omit<RejudgingReply, 'as_of'>> {
    const state = await this.#given.log.state()
    const described = describeRejudging(state)
    if (described === null) throw noRejudging()
    return { ...described, effect: this.#listEffect(state) }
  }

  /** Applies or discards all new judgements as one change. Throws ApiError `conflict` while some are not finished. */
  closeRejudging(body: CloseRejudgingBody, actor: string): Promise<ActionResult<undefined>> {
    const { apply: isApplied, reason } = body
    return this.#given.log.act(body, actor, (state, acting) => {
      const rejudging = state.results.rejudging()
      if (rejudging === null) throw noRejudging()
      const unfinished = listWaiting(state)
      if (isApplied && unfinished.length > 0)
        throw new ApiError('conflict', {
          message: `${unfinished.length} of ${rejudging.pairs.length} judgements are not finished, such as that of ${describePair(state, unfinished)}. Wait, or discard the re-judging.`,
        })
      const { rejudgingId, pairs } = rejudging
      const effect = isApplied ? this.#listEffect(state) : []
      return {
        plan: {
          changes: [
            ...planChange(
              'rejudging',
              rejudgingId,
              'open',
              isApplied ? 'applied' : 'discarded',
              pairs.length,
            ),
            ...effect.flatMap(({ team_id, rank_before, rank_after }) =>
              planChange('rank', team_id, rank_before, rank_after),
            ),
          ],
        },
        records: [{ kind: 'rejudging_closed', body: { rejudgingId, isApplied, reason } }],
        audit: [
          toAuditRow(acting, {
            action: isApplied ? 'judging.rejudge_apply' : 'judging.rejudge_discard',
            target: rejudgingId,
            before: null,
            after: { judgements: pairs.length },
          }),
        ],
        made: undefined,
      }
    })
  }

  /** Throws ApiError `conflict` if the results have changed since they were read. */
  async verify({ digest, note }: VerifyResultsBody, actor: string): Promise<void> {
    await this.#given.log.change(actor, note, (state, acting) => {
      requireSame(this.#collect(state), digest)
      return {
        records: [{ kind: 'verified', body: { digest, note: note ?? null } }],
        audit: [
          toAuditRow(acting, { action: 'judging.verify', target: digest, before: null, after: { digest } }),
        ],
        made: undefined,
      }
    })
  }

  /** Freezes the results and publishes them at a time. Throws ApiError `conflict`, `invalid_request`. */
  async publish(body: PublishResultsBody, actor: string): Promise<ActionResult<undefined>> {
    const now = await this.#readClock()
    const publishAt =
      typeof body.at === 'string'
        ? parseZonedMoment('at', body.at, this.#given.directory.event().timeZone)
        : now
    if (publishAt < now) throw refuseValue('at', 'it must be in the future, or absent for at once.')
    return await this.#given.log.act(body, actor, (state, acting) => {
      const current = this.#collect(state)
      const before = state.results.publication()
      if (before !== null && (this.#seenPublished || before.publishAt <= now))
        throw new ApiError('conflict', {
          message:
            'The results are published. Only a correction can change them, with POST /judging/results/corrections.',
        })
      requireSame(current, body.digest)
      requireVerified(state, current, actor)
      const { missing, warnings } = this.#checkWhole(state, current)
      if (missing !== null) throw new ApiError('conflict', { message: missing })
      return {
        plan: {
          changes: planChange(
            'published_at',
            'results',
            before === null ? null : isoTime(before.publishAt),
            // Another moment than that of the dry run.
            typeof body.at === 'string' ? isoTime(publishAt) : 'at once',
          ),
          warnings,
        },
        records: [{ kind: 'publication', body: { publishAt, results: freeze(state, current) } }],
        audit: [
          toAuditRow(acting, {
            action: 'judging.publish',
            target: current.digest,
            before: null,
            after: { publish_at: isoTime(publishAt) },
          }),
        ],
        made: undefined,
      }
    })
  }

  /** Before its time. Throws ApiError `conflict` if there is none, or if it has happened. */
  async cancelPublication(body: ActionBody, actor: string): Promise<ActionResult<undefined>> {
    const now = await this.#readClock()
    return await this.#given.log.act(body, actor, (state, acting) => {
      const publication = state.results.publication()
      if (publication === null || this.#seenPublished || publication.publishAt <= now)
        throw new ApiError('conflict', {
          message: publication === null ? 'No publication is planned.' : 'The results are published already.',
        })
      const at = isoTime(publication.publishAt)
      return {
        plan: { changes: planChange('published_at', 'results', at, null) },
        records: [{ kind: 'publication_cancelled', body: {} }],
        audit: [
          toAuditRow(acting, {
            action: 'judging.publish_cancel',
            target: '',
            before: { publish_at: at },
            after: null,
          }),
        ],
        made: undefined,
      }
    })
  }

  /** Replaces published results by the current ones, with a number and a text that everybody can read. Throws ApiError `conflict`. */
  async correct(body: CorrectResultsBody, actor: string): Promise<ActionResult<undefined>> {
    await this.#isPublished(await this.#given.log.state())
    return await this.#given.log.act(body, actor, (state, acting) => {
      const current = this.#collect(state)
      const before = state.results.frozen()
      if (before === null || !this.#seenPublished)
        throw new ApiError('conflict', {
          message: 'Nothing is published yet, so there is nothing to correct.',
        })
      requireSame(current, body.digest)
      requireVerified(state, current, actor)
      const { missing, warnings } = this.#checkWhole(state, current)
      if (missing !== null) throw new ApiError('conflict', { message: missing })
      const results = freeze(state, current)
      const number = state.results.corrections().length + 1
      const ranksBefore = new Map(before.teams.map(({ team_id, rank }) => [team_id, rank]))
      return {
        plan: {
          changes: [
            ...planChange('correction', 'results', number === 1 ? null : number - 1, number),
            ...results.teams.flatMap(({ team_id, rank }) =>
              planChange('rank', team_id, ranksBefore.get(team_id) ?? null, rank),
            ),
          ],
          warnings,
        },
        records: [{ kind: 'correction', body: { number, text: body.text, results } }],
        audit: [
          toAuditRow(acting, {
            action: 'judging.correct',
            target: String(number),
            before: null,
            after: { text: body.text, digest: current.digest },
          }),
        ],
        made: undefined,
      }
    })
  }

  /** Unix ms: the time of publication, and of the last correction. Null before. */
  async whenPublished(): Promise<{ readonly at: number; readonly correctedAt: number | null } | null> {
    const state = await this.#given.log.state()
    const publication = state.results.publication()
    if (publication === null || !(await this.#isPublished(state))) return null
    return { at: publication.publishAt, correctedAt: state.results.corrections().at(-1)?.at ?? null }
  }

  /** Null before their time. */
  async published(): Promise<PublishedResults | null> {
    const state = await this.#given.log.state()
    const results = state.results.frozen()
    const publication = state.results.publication()
    if (results === null || publication === null || !(await this.#isPublished(state))) return null
    const { comments: _, ...shown } = results
    return {
      event: this.#given.directory.event().name,
      published_at: isoTime(publication.publishAt),
      ...shown,
      corrections: listCorrections(state),
    }
  }

  async readOwn(teamId: string): Promise<Omit<OwnResults, 'as_of'>> {
    const state = await this.#given.log.state()
    const results = state.results.frozen()
    const publication = state.results.publication()
    if (results === null || publication === null || !(await this.#isPublished(state)))
      return { published_at: null, team: null, criteria: [], comments: [], corrections: [] }
    return {
      published_at: isoTime(publication.publishAt),
      team: results.teams.find(({ team_id }) => team_id === teamId) ?? null,
      criteria: [...results.criteria],
      comments: [...(results.comments[teamId] ?? [])],
      corrections: listCorrections(state),
    }
  }

  #collect(state: ReadState): Current {
    const teams = listJudged(this.#given.directory)
    const basis = JSON.stringify([state.head(), teams])
    if (this.#kept?.basis !== basis) {
      const setup = requireSetup(state)
      const results = collectResults(state, setup, teams, { isApplied: false })
      const described = describeResults(results, this.#names(state))
      const digest = createHash('sha256').update(JSON.stringify(described)).digest('hex')
      this.#kept = { basis, current: { results, described, digest } }
    }
    return this.#kept.current
  }

  #names(state: ReadState) {
    return {
      nameOfTeam: (teamId: string) => this.#given.directory.findTeam(teamId)?.alias ?? teamId,
      nameOfJudge: (judgeId: string) => state.findJudge(judgeId)?.name ?? judgeId,
    }
  }

  /** Teams whose rank or mean the open re-judging would change. */
  #listEffect(state: ReadState): RejudgingReply['effect'] {
    const setup = requireSetup(state)
    const teams = listJudged(this.#given.directory)
    const after = collectResults(state, setup, teams, { isApplied: true }).ranking
    const afterOf = new Map(after.teams.map(team => [team.teamId, team]))
    return this.#collect(state).results.ranking.teams.flatMap(before => {
      const next = afterOf.get(before.teamId) ?? before
      if (next.rank === before.rank && next.mean === before.mean) return []
      return {
        team_id: before.teamId,
        team: this.#names(state).nameOfTeam(before.teamId),
        rank_before: before.rank,
        rank_after: next.rank,
        mean_before: before.mean,
        mean_after: next.mean,
      }
    })
  }

  /** `missing`: what makes a publication impossible; `warnings`: what has to be confirmed. */
  #checkWhole(state: ReadState, { results }: Current) {
    const { open } = results.ranking
    if (open.length > 0)
      return { missing: 'A tie is left for the head judge. Decide it first.', warnings: [] }
    if (state.results.rejudging() !== null)
      return { missing: 'A re-judging is open. Apply or discard it first.', warnings: [] }
    return { missing: null, warnings: listMissing(state, results, this.#given.clock()) }
  }

  async #isPublished(state: ReadState): Promise<boolean> {
    const publication = state.results.publication()
    if (publication === null) return false
    if (!this.#seenPublished && (await this.#readClock()) >= publication.publishAt) this.#seenPublished = true
    return this.#seenPublished
  }

  /** Unix ms, by the one clock that all processes share. */
  async #readClock(): Promise<number> {
    return Math.floor((await this.#given.read.readDatabaseClock()) / 1000)
  }
}

function requireSame({ digest }: Current, expected: string): void {
  if (digest === expected) return
  throw new ApiError('conflict', {
    param: 'digest',
    message: 'The results have changed since you read them. Read them again.',
  })
}

/** Four eyes: whoever publishes or corrects must not have verified. */
function requireVerified(state: ReadState, { digest }: Current, actor: string): void {
  const verification = state.results.verification()
  if (verification === null || verification.digest !== digest)
    throw new ApiError('conflict', {
      message:
        'No one has verified these results yet. A second person does it, with POST /judging/results/verify.',
    })
  if (verification.actor === actor)
    throw new ApiError('conflict', {
      message: 'You have verified these results yourself. Somebody else must publish them.',
    })
}

/** What is published, so that nothing that happens later changes it. */
function freeze(state: ReadState, { described, results }: Current): FrozenResults {
  const comments: Record<string, string[]> = {}
  const counted = new Set(results.judgements.map(({ teamId, judgeId }) => `${teamId}\n${judgeId}`))
  for (const { teamId, judgeId, comment_team = '' } of listCounting(state)) {
    if (comment_team.trim() === '' || !counted.has(`${teamId}\n${judgeId}`)) continue
    comments[teamId] = [...(comments[teamId] ?? []), comment_team]
  }
  return {
    ranking: described.ranking,
    criteria: described.criteria.map(({ id, name, weight, max }) => ({ id, name, weight, max })),
    teams: described.teams.map(({ team_id, team, rank, unranked, judgements, mean, adjusted, criteria }) => ({
      ...{ team_id, team, rank, unranked, judgements, mean, adjusted, criteria },
    })),
    ties: described.ties,
    method: described.method,
    comments,
  }
}

function listCorrections(state: ReadState) {
  return state.results
    .corrections()
    .map(({ number, text, at, actor }) => ({ number, text, at: isoTime(at), by: actor }))
}

function describePair(
  state: ReadState,
  [pair]: readonly { readonly teamId: string; readonly judgeId: string }[],
) {
  return pair === undefined ? '' : `${state.findJudge(pair.judgeId)?.name ?? pair.judgeId} on ${pair.teamId}`
}

function noRejudging(): ApiError {
  return new ApiError('conflict', { message: 'No re-judging is open.' })
}
