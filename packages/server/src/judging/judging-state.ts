// The state of judging: what follows from its records, read in order.
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import type { Pair } from './deal-teams.ts'
import type { Conflict, DatedRecord, Judge } from './judging-records.ts'

type Dated = { readonly at: number; readonly actor: string }

export class JudgingState {
  #head = 0
  #setup: (Dated & { readonly version: number; readonly value: JudgingSetup }) | null = null
  readonly #judges = new Map<string, Judge>()
  readonly #conflicts = new Map<string, Conflict & Dated>()
  #pairs: readonly Pair[] = []

  /** Number of the last record. */
  readonly head = (): number => this.#head
  readonly setup = () => this.#setup
  readonly judges = (): readonly Judge[] => [...this.#judges.values()]
  readonly findJudge = (judgeId: string): Judge | undefined => this.#judges.get(judgeId)
  readonly conflicts = (): readonly (Conflict & Dated)[] => [...this.#conflicts.values()]
  /** In the order in which each judge reads them, without the team for calibration. */
  readonly pairs = (): readonly Pair[] => this.#pairs

  /** Records that are known already change nothing. */
  apply(record: DatedRecord): void {
    if (record.seq <= this.#head) return
    if (record.seq !== this.#head + 1) throw new Error('The record of judging has a gap.')
    const { at, actor } = record
    if (record.kind === 'setup')
      this.#setup = { version: (this.#setup?.version ?? 0) + 1, value: record.body, at, actor }
    else if (record.kind === 'judge') this.#judges.set(record.body.judgeId, record.body)
    else if (record.kind === 'conflict')
      this.#conflicts.set(conflictKey(record.body), { ...record.body, at, actor })
    else this.#pairs = record.body
    this.#head = record.seq
  }
}

/** Ids contain no line feed. */
const conflictKey = ({ teamId, judgeId }: Pair) => `${teamId}\n${judgeId}`
