// What the record of judging says of results: decided ties, the open re-judging, verification, publication and corrections.
import type { Pair } from '../deal-teams.ts'
import type { DatedRecord, FrozenResults } from '../judging-records.ts'

type Dated = { readonly at: number; readonly actor: string }

type Rejudging = Dated & {
  readonly rejudgingId: string
  readonly pairs: readonly Pair[]
  readonly reason: string
}
type Verification = Dated & { readonly digest: string; readonly note: string | null }
/** `publishAt`: Unix ms. */
type Publication = Dated & { readonly publishAt: number; readonly results: FrozenResults }
type Correction = Dated & {
  readonly number: number
  readonly text: string
  readonly results: FrozenResults
}
type Decision = Dated & { readonly teams: readonly string[]; readonly reason: string }

export class ResultsState {
  readonly #decisions: Decision[] = []
  #rejudging: Rejudging | null = null
  #verification: Verification | null = null
  #publication: Publication | null = null
  readonly #corrections: Correction[] = []

  readonly decisions = (): readonly Decision[] => this.#decisions
  /** The one that is open. */
  readonly rejudging = () => this.#rejudging
  /** Without `teamId`: any team of this judge. */
  readonly isRejudged = ({ teamId, judgeId }: Pick<Pair, 'judgeId'> & Partial<Pair>): boolean =>
    this.#rejudging?.pairs.some(
      pair => pair.judgeId === judgeId && (teamId === undefined || pair.teamId === teamId),
    ) ?? false
  /** The last one. */
  readonly verification = () => this.#verification
  /** Planned, or done. */
  readonly publication = () => this.#publication
  readonly corrections = (): readonly Correction[] => this.#corrections
  /** With the last correction, from the planned publication on. */
  readonly frozen = (): FrozenResults | null =>
    this.#corrections.at(-1)?.results ?? this.#publication?.results ?? null

  apply({ kind, body, at, actor }: DatedRecord): void {
    if (kind === 'tie_decided') this.#decisions.push({ ...body, at, actor })
    else if (kind === 'rejudging') this.#rejudging = { ...body, at, actor }
    else if (kind === 'rejudging_closed') this.#rejudging = null
    else if (kind === 'verified') this.#verification = { ...body, at, actor }
    else if (kind === 'publication') this.#publication = { ...body, at, actor }
    else if (kind === 'publication_cancelled') this.#publication = null
    else if (kind === 'correction') this.#corrections.push({ ...body, at, actor })
  }
}
