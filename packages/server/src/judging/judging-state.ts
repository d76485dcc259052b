// The state of judging: what follows from its records, read in order.
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import { CaseBook } from './cases/case-state.ts'
import type { Pair } from './deal-teams.ts'
import type { Conflict, DatedRecord, Judge, JudgeCode, Judgement } from './judging-records.ts'
import { ResultsState } from './results/results-state.ts'

type Dated = { readonly at: number; readonly actor: string }

/** How far a judge is with a team. */
export type Progress = Pair & {
  readonly state: 'begun' | 'done' | 'unable'
  /** The last finished judgement, also while it is open again; null before the first. */
  readonly judgement: (Judgement & Dated) | null
  /** The judgement that counts: the last one, but not while the judge has it open, and the earlier one as long as a re-judging is open. */
  readonly counting: (Judgement & Dated) | null
  /** Why it was opened again; null if it was not. */
  readonly reopened: string | null
}

/** Unix ms; `firstUsedAt` is null before the judge has signed in. */
export type Link = JudgeCode & { readonly isRevoked: boolean; readonly firstUsedAt: number | null }

type Order = Dated & { readonly teams: readonly string[]; readonly revision: number }

export class JudgingState {
  #head = 0
  #setup: (Dated & { readonly version: number; readonly value: JudgingSetup }) | null = null
  readonly #judges = new Map<string, Judge>()
  readonly #conflicts = new Map<string, Conflict & Dated>()
  #pairs: readonly Pair[] = []
  readonly #links = new Map<string, Link>()
  readonly #judgesByCode = new Map<string, string>()
  readonly #numbers = new Map<string, number>()
  readonly #progress = new Map<string, Progress>()
  readonly #orders = new Map<string, Order>()
  /** As long as a re-judging is open, the earlier ones of its judges. */
  readonly #countingOrders = new Map<string, Order>()
  readonly #results = new ResultsState()
  readonly #cases = new CaseBook()

  /** Number of the last record. */
  readonly head = (): number => this.#head
  readonly setup = () => this.#setup
  readonly isBlind = (): boolean => this.#setup?.value.blind === true
  readonly judges = (): readonly Judge[] => [...this.#judges.values()]
  readonly findJudge = (judgeId: string): Judge | undefined => this.#judges.get(judgeId)
  readonly conflicts = (): readonly (Conflict & Dated)[] => [...this.#conflicts.values()]
  readonly hasConflict = (pair: Pair): boolean => this.#conflicts.has(writeKey(pair))
  /** In the order in which each judge reads them, without the team for calibration. */
  readonly pairs = (): readonly Pair[] => this.#pairs
  readonly findLink = (judgeId: string): Link | undefined => this.#links.get(judgeId)
  /** The judge whose claim link this is or was: it works only if `findLink` has it too. */
  readonly findByCode = (codeHash: string): Judge | undefined =>
    this.#judges.get(this.#judgesByCode.get(codeHash) ?? '')
  /** By team id. */
  readonly numbers = (): ReadonlyMap<string, number> => this.#numbers
  readonly findProgress = (pair: Pair): Progress | undefined => this.#progress.get(writeKey(pair))
  readonly allProgress = (): readonly Progress[] => [...this.#progress.values()]
  readonly findOrder = (judgeId: string): Order | undefined => this.#orders.get(judgeId)
  readonly findCountingOrder = (judgeId: string): Order | undefined => this.#countingOrders.get(judgeId)
  readonly results: Omit<ResultsState, 'apply'> = this.#results
  readonly cases: Omit<CaseBook, 'apply'> = this.#cases

  /** Records that are known already change nothing. */
  apply(record: DatedRecord): void {
    if (record.seq <= this.#head) return
    if (record.seq !== this.#head + 1) throw new Error('The record of judging has a gap.')
    const { at, actor } = record
    switch (record.kind) {
      case 'setup':
        this.#setup = { version: (this.#setup?.version ?? 0) + 1, value: record.body, at, actor }
        break
      case 'judge':
        this.#judges.set(record.body.judgeId, record.body)
        break
      case 'conflict':
        this.#conflicts.set(writeKey(record.body), { ...record.body, at, actor })
        break
      case 'deal':
        this.#pairs = record.body
        break
      case 'code':
        this.#applyCode(record.body)
        break
      case 'code_revoked':
        this.#changeLink(record.body.judgeId, { isRevoked: true })
        break
      case 'arrived':
        this.#changeLink(record.body.judgeId, { firstUsedAt: at })
        break
      case 'numbers':
        for (const { teamId, number } of record.body) this.#numbers.set(teamId, number)
        break
      case 'begun':
        this.#changeProgress(record.body, { state: 'begun' })
        break
      case 'judgement':
        this.#applyJudgement({ ...record.body, at, actor })
        break
      case 'reopened':
        this.#changeProgress(record.body, {
          state: 'begun',
          reopened: record.body.reason,
          ...(this.#results.isRejudged(record.body) ? {} : { counting: null }),
        })
        break
      case 'rejudging':
        for (const pair of record.body.pairs)
          this.#changeProgress(pair, { state: 'begun', reopened: record.body.reason })
        break
      case 'rejudging_closed':
        for (const pair of this.#results.rejudging()?.pairs ?? [])
          this.#closeRejudged(pair, record.body.isApplied)
        break
      case 'order':
        this.#orders.set(record.body.judgeId, { ...record.body, at, actor })
        if (!this.#results.isRejudged(record.body))
          this.#countingOrders.set(record.body.judgeId, { ...record.body, at, actor })
        break
    }
    this.#results.apply(record)
    this.#cases.apply(record)
    this.#head = record.seq
  }

  #applyJudgement(judgement: Judgement & Dated): void {
    const { state } = judgement
    const counting = state === 'done' ? judgement : null
    this.#changeProgress(judgement, {
      ...{ state, judgement, reopened: null },
      ...(this.#results.isRejudged(judgement) ? {} : { counting }),
    })
  }

  #closeRejudged(pair: Pair, isApplied: boolean): void {
    const [from, to] = isApplied ? [this.#orders, this.#countingOrders] : [this.#countingOrders, this.#orders]
    const order = from.get(pair.judgeId)
    if (order === undefined) to.delete(pair.judgeId)
    else to.set(pair.judgeId, order)
    const known = this.findProgress(pair)
    if (known === undefined) return
    const { state, judgement, counting } = known
    if (isApplied) this.#changeProgress(pair, { state, counting: state === 'done' ? judgement : null })
    else this.#changeProgress(pair, { state: 'done', judgement: counting, reopened: null })
  }

  #applyCode(code: JudgeCode): void {
    this.#judgesByCode.set(code.codeHash, code.judgeId)
    this.#links.set(code.judgeId, { ...code, isRevoked: false, firstUsedAt: null })
  }

  #changeLink(judgeId: string, change: Partial<Link>): void {
    const link = this.#links.get(judgeId)
    if (link !== undefined) this.#links.set(judgeId, { ...link, ...change })
  }

  #changeProgress({ teamId, judgeId }: Pair, change: Partial<Progress> & Pick<Progress, 'state'>): void {
    const key = writeKey({ teamId, judgeId })
    const before = this.#progress.get(key) ?? { judgement: null, counting: null, reopened: null }
    this.#progress.set(key, { ...before, teamId, judgeId, ...change })
  }
}

/** Ids contain no line feed. */
const writeKey = ({ teamId, judgeId }: Pair) => `${teamId}\n${judgeId}`
