// Cases: nothing here accuses, nothing has an effect on scores, and each step is taken by another person than the one before.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import {
  type CaseItem,
  type DecideCaseBody,
  maxCaseCites,
  type NewCaseBody,
  type OwnCase,
  usualAnswerHours,
} from '@fairgate/contracts/judging/cases.ts'
import { toAuditRow } from '../../directory/audit.ts'
import type { Directory } from '../../directory/create-directory.ts'
import { refuseValue, requireTeam } from '../../directory/refusals.ts'
import type { Store } from '../../store/store.ts'
import type { World } from '../../world/world.ts'
import type { JudgingLog, ReadState } from '../judging-log.ts'
import type { JudgingRecord } from '../judging-records.ts'
import {
  answerUntil,
  appealUntil,
  type Case,
  type CaseState,
  type Decision,
  type Saying,
  stateOf,
} from './case-state.ts'

export type CaseDependencies = Pick<World, 'clock' | 'newId'> & {
  readonly log: JudgingLog
  readonly directory: Pick<Directory, 'findTeam'>
  readonly read: Pick<Store['read'], 'readBoard' | 'findCall'>
}

export type CaseCount = {
  readonly cases: number
  readonly toAnswer: number
  readonly answerUntil: string | null
  /** Unix ms. */
  readonly changedAt: number
}

/** When each step of a case was taken. */
function listTimes({ at, answer, decision, appeal, appealDecision }: Case): number[] {
  return [at, ...[answer, decision, appeal, appealDecision].flatMap(step => step?.at ?? [])]
}

const maxOpenPerTeam = 20
const hourMs = 3_600_000

export class CaseService {
  readonly #given: CaseDependencies

  constructor(given: CaseDependencies) {
    this.#given = given
  }

  async list({
    teamId,
    onlyOpen,
  }: {
    readonly teamId: string | null
    readonly onlyOpen: boolean
  }): Promise<CaseItem[]> {
    const now = this.#given.clock()
    const state = await this.#given.log.state()
    return sortOpenFirst(state.cases.list(), now)
      .filter(one => teamId === null || one.teamId === teamId)
      .filter(one => !onlyOpen || stateOf(one, now) !== 'final')
      .map(one => this.#describe(one))
  }

  /** Throws ApiError `case_not_found`. */
  async find(caseId: string): Promise<CaseItem> {
    return this.#describe(requireCase(await this.#given.log.state(), caseId, null))
  }

  /** Throws ApiError `team_not_found`, `invalid_request` for entries and calls that the team does not have, `conflict`. */
  async open(body: NewCaseBody, actor: string): Promise<string> {
    const { team_id: teamId, question, cites = [], calls = [], answer_hours: hours = usualAnswerHours } = body
    requireTeam(this.#given.directory, teamId)
    await this.#requireCited(teamId, cites, calls)
    const caseId = `case_${this.#given.newId()}`
    await this.#given.log.change(actor, null, (state, acting) => {
      const open = state.cases
        .list()
        .filter(one => one.teamId === teamId && stateOf(one, acting.now) !== 'final')
      if (open.length >= maxOpenPerTeam)
        throw new ApiError('conflict', {
          message: `This team has ${open.length} open cases already. Decide them first.`,
        })
      const facts = { caseId, teamId, question, cites, calls, answerMs: hours * hourMs }
      return {
        records: [{ kind: 'case_opened', body: facts }],
        audit: [
          toAuditRow(acting, {
            action: 'case.open',
            teamId,
            target: caseId,
            before: null,
            after: { question, cites, calls },
          }),
        ],
        made: undefined,
      }
    })
    return caseId
  }

  /**
   * By another person than who has opened the case; once the team has answered, or its time is over. An appeal is decided by a third. Throws
   * ApiError `case_not_found`, `conflict`.
   */
  async decide(caseId: string, { decision, reason }: DecideCaseBody, actor: string): Promise<void> {
    await this.#step(caseId, null, actor, reason, (one, state, now) => {
      if (state === 'asked' && now < answerUntil(one))
        throw conflict(
          `The team can answer until ${isoTime(answerUntil(one))}. Decide after that, or after its answer.`,
        )
      if (state === 'decided' || state === 'final') throw conflict('This case is decided.')
      if (actor === one.actor) throw conflict('You have opened this case. Somebody else must decide it.')
      if (state === 'appealed' && actor === one.decision?.actor)
        throw conflict('You have decided this case. A third person must hear the appeal.')
      const kind = state === 'appealed' ? 'appeal_decided' : 'case_decided'
      return { kind, body: { caseId, decision, reason } }
    })
  }

  /** Throws ApiError `case_not_found`, `conflict`. */
  async answer(teamId: string, caseId: string, text: string, actor: string): Promise<void> {
    await this.#step(caseId, teamId, actor, null, (_one, state) => {
      if (state !== 'asked')
        throw conflict(state === 'answered' ? 'Your team has answered already.' : 'This case is decided.')
      return { kind: 'case_answered', body: { caseId, text } }
    })
  }

  /** Once, and in time. Throws ApiError `case_not_found`, `conflict`. */
  async appeal(teamId: string, caseId: string, text: string, actor: string): Promise<void> {
    await this.#step(caseId, teamId, actor, null, (one, state) => {
      if (state !== 'decided')
        throw conflict(
          one.decision === null
            ? 'Nothing is decided yet, so there is nothing to appeal against.'
            : 'The decision is final: an appeal is possible once, and in time.',
        )
      return { kind: 'case_appealed', body: { caseId, text } }
    })
  }

  async listOwn(teamId: string): Promise<OwnCase[]> {
    const state = await this.#given.log.state()
    const now = this.#given.clock()
    return sortOpenFirst(
      state.cases.list().filter(one => one.teamId === teamId),
      now,
    ).map(one => this.#describeOwn(one))
  }

  /** By team id. `answerUntil`: of the first that waits for an answer, ISO 8601. */
  async countByTeam(): Promise<ReadonlyMap<string, CaseCount>> {
    const cases = (await this.#given.log.state()).cases.list()
    const now = this.#given.clock()
    return new Map(
      [...Map.groupBy(cases, ({ teamId }) => teamId)].map(([teamId, own]) => {
        const asked = own.filter(one => stateOf(one, now) === 'asked')
        const until = asked.length === 0 ? null : Math.min(...asked.map(answerUntil))
        const changedAt = Math.max(...own.flatMap(listTimes))
        return [teamId, { cases: own.length, toAnswer: asked.length, answerUntil: isoTime(until), changedAt }]
      }),
    )
  }

  async #step(
    caseId: string,
    teamId: string | null,
    actor: string,
    reason: string | null,
    decide: (one: Case, state: CaseState, now: number) => JudgingRecord,
  ): Promise<void> {
    await this.#given.log.change(actor, reason, (state, acting) => {
      const one = requireCase(state, caseId, teamId)
      const before = stateOf(one, acting.now)
      const record = decide(one, before, acting.now)
      const audited = {
        action: actions[record.kind] ?? record.kind,
        teamId: one.teamId,
        target: caseId,
        before: { state: before },
        after: record.body,
      }
      return { records: [record], audit: [toAuditRow(acting, audited)], made: undefined }
    })
  }

  /** Entries are numbered from 1 without gaps. Throws ApiError `invalid_request`. */
  async #requireCited(teamId: string, cites: readonly number[], calls: readonly string[]): Promise<void> {
    const newest = cites.length === 0 ? 0 : ((await this.#given.read.readBoard({ teamId }))?.headSeq ?? 0)
    const unknown = cites.find(seq => seq > newest)
    if (unknown !== undefined)
      throw refuseValue('cites', `the team has no entry ${unknown}; its newest is ${newest}.`)
    for (const callId of calls.slice(0, maxCaseCites))
      if ((await this.#given.read.findCall({ teamId, callId })) === null)
        throw refuseValue('calls', `the team has no call "${callId}".`)
  }

  #describe(one: Case): CaseItem {
    const now = this.#given.clock()
    const { decision, appealDecision } = one
    return {
      ...describeShared(one, now),
      team: this.#given.directory.findTeam(one.teamId)?.alias ?? one.teamId,
      opened_by: one.actor,
      decision: describeDecision(decision),
      appeal_decision: describeDecision(appealDecision),
      next: describeNext(one, now),
    }
  }

  #describeOwn(one: Case): OwnCase {
    const now = this.#given.clock()
    const state = stateOf(one, now)
    const withoutName = (decision: Decision | null) => {
      const described = describeDecision(decision)
      if (described === null) return null
      const { by: _, ...rest } = described
      return rest
    }
    return {
      ...describeShared(one, now),
      decision: withoutName(one.decision),
      appeal_decision: withoutName(one.appealDecision),
      can_answer: state === 'asked',
      can_appeal: state === 'decided',
    }
  }
}

const actions: Partial<Record<JudgingRecord['kind'], string>> = {
  case_answered: 'case.answer',
  case_decided: 'case.decide',
  case_appealed: 'case.appeal',
  appeal_decided: 'case.decide_appeal',
}

function describeShared(one: Case, now: number) {
  const until = one.decision === null ? null : appealUntil(one.decision, one)
  return {
    case_id: one.caseId,
    team_id: one.teamId,
    state: stateOf(one, now),
    question: one.question,
    cites: [...one.cites],
    calls: [...one.calls],
    opened_at: isoTime(one.at),
    answer_until: isoTime(answerUntil(one)),
    answer: describeSaying(one.answer, answerUntil(one)),
    appeal_until: isoTime(until),
    appeal: describeSaying(one.appeal, until ?? Number.POSITIVE_INFINITY),
  }
}

function describeSaying(saying: Saying | null, until: number) {
  return saying === null ? null : { text: saying.text, at: isoTime(saying.at), late: saying.at >= until }
}

function describeDecision(decision: Decision | null) {
  if (decision === null) return null
  const { at, actor } = decision
  return { decision: decision.decision, reason: decision.reason, at: isoTime(at), by: actor }
}

function describeNext(one: Case, now: number): string {
  switch (stateOf(one, now)) {
    case 'asked':
      return now < answerUntil(one)
        ? `The team answers, until ${isoTime(answerUntil(one))}.`
        : `The team has not answered in time. Somebody other than ${one.actor} decides.`
    case 'answered':
      return `Somebody other than ${one.actor} decides.`
    case 'decided':
      return 'The team can appeal.'
    case 'appealed':
      return `Somebody other than ${one.actor} and ${one.decision?.actor ?? ''} hears the appeal.`
    case 'final':
      return 'The case is closed.'
  }
}

function sortOpenFirst(cases: readonly Case[], now: number): Case[] {
  const isClosed = (one: Case) => Number(stateOf(one, now) === 'final')
  return cases.toSorted((one, other) => isClosed(one) - isClosed(other) || other.at - one.at)
}

/** `teamId`: another team's case is not found. Throws ApiError `case_not_found`. */
function requireCase(state: ReadState, caseId: string, teamId: string | null): Case {
  const one = state.cases.find(caseId)
  if (one === undefined || (teamId !== null && one.teamId !== teamId))
    throw new ApiError('case_not_found', { param: 'case_id' })
  return one
}

function conflict(message: string): ApiError {
  return new ApiError('conflict', { message })
}
