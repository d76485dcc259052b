// What a window holds, apart from the window itself: what is written down each second and read again at the next start.
import type { LimitLevel } from '../../ledger/admission.ts'
import type { SecondOfTokens } from '../../ledger/token-window.ts'

/** Whose windows they are: a team's id, a key's hash, nobody's for those of the whole service; and the model, for levels of one. */
export type WindowName = {
  readonly level: LimitLevel
  readonly owner: string | null
  readonly model: string | null
}

export function idOfWindow({ level, owner, model }: WindowName): string {
  return JSON.stringify([level, owner, model])
}

export type WindowContents = {
  readonly name: WindowName
  /** When requests were admitted (Unix ms), oldest first. */
  readonly times: readonly number[]
  /** Oldest first. */
  readonly seconds: readonly SecondOfTokens[]
}

/** Windows that changed, gathered at a moment (Unix ms). One of the two must be called; the changes are gathered again after `failed`. */
export type GatheredWindows = {
  readonly at: number
  readonly windows: readonly WindowContents[]
  readonly written: () => void
  readonly failed: () => void
}

/** `commit`: what no commit has written yet. `second`: what the last second's row does not have. */
export type GatherScope = 'commit' | 'second'
