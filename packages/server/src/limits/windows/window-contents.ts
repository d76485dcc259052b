// The contents of a window, apart from the window itself: merges multiple sources, and serialises them each second for the next start.

import Type from 'typebox'
import { Value } from 'typebox/value'
import type { LimitLevel } from '../../ledger/admission.ts'
import type { SecondOfTokens } from '../../ledger/token-window.ts'

/** Owner of the windows: a team's id, a key's hash, or empty for those of the whole service. Plus the model, for levels of a model. */
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
  /** Admission times of requests (Unix ms), oldest first. */
  readonly times: readonly number[]
  /** Oldest first. */
  readonly seconds: readonly SecondOfTokens[]
}

/** Merges what multiple sources have for the same second. */
export type JoinTokens = (left: number, right: number) => number

export const addTokens: JoinTokens = (left, right) => left + right

/** In order, one per second. */
export function foldSeconds(
  seconds: readonly SecondOfTokens[],
  join: JoinTokens = addTokens,
): SecondOfTokens[] {
  const folded = new Map<number, SecondOfTokens>()
  for (const { latest, tokens } of seconds) {
    const second = Math.floor(latest / 1000)
    const known = folded.get(second)
    folded.set(
      second,
      known === undefined
        ? { latest, tokens }
        : { latest: Math.max(latest, known.latest), tokens: join(known.tokens, tokens) },
    )
  }
  return [...folded.values()].sort((left, right) => left.latest - right.latest)
}

/** Returns one per name. `joinTimes` gets the times of all sources that have it, and returns them in order. */
export function joinWindows(
  windows: readonly WindowContents[],
  joinTimes: (lists: readonly (readonly number[])[]) => number[],
  joinTokens: JoinTokens,
): WindowContents[] {
  return [...Map.groupBy(windows, ({ name }) => idOfWindow(name)).values()].flatMap(same =>
    same.slice(0, 1).map(({ name }) => ({
      name,
      times: joinTimes(same.map(({ times }) => times)),
      seconds: foldSeconds(
        same.flatMap(({ seconds }) => seconds),
        joinTokens,
      ),
    })),
  )
}

/**
 * Changed windows, gathered at a moment (Unix ms). One of the two callbacks must be called; after `failed` the changes are gathered again.
 */
export type GatheredWindows = {
  readonly at: number
  readonly windows: readonly WindowContents[]
  readonly written: () => void
  readonly failed: () => void
}

/** `commit`: what no commit has written yet. `second`: what the row of the last second does not have. */
export type GatherScope = 'commit' | 'second'

const counts = Type.Array(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
const written = Type.Array(
  Type.Union([
    Type.Tuple([Type.Literal('service_model'), Type.Null(), Type.String(), counts, counts]),
    Type.Tuple([Type.Enum(['team', 'key']), Type.String(), Type.Null(), counts, counts]),
    Type.Tuple([Type.Enum(['team_model', 'key_model']), Type.String(), Type.String(), counts, counts]),
  ]),
)

/**
 * Returns a list of `[level, owner, model, requests, tokens]`. `requests` are the milliseconds from each request to the next, and from the
 * last to `at`; `tokens` are pairs of the milliseconds to `at` and the tokens of that second.
 */
export function writeContents(windows: readonly WindowContents[], at: number): string {
  return JSON.stringify(
    windows.map(({ name, times, seconds }) => [
      name.level,
      name.owner,
      name.model,
      times.map((time, index) => (times[index + 1] ?? at) - time),
      seconds.flatMap(({ latest, tokens }) => [at - latest, tokens]),
    ]),
  )
}

/** Returns null for text that cannot have been written by `writeContents`. */
export function readContents(text: string, at: number): WindowContents[] | null {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return null
  }
  if (!Value.Check(written, parsed) || parsed.some(([, , , , tokens]) => tokens.length % 2 !== 0)) return null
  return parsed.map(([level, owner, model, requests, tokens]) => {
    const times: number[] = []
    let time = at
    for (const gap of requests.toReversed()) {
      time -= gap
      times.push(time)
    }
    const seconds: SecondOfTokens[] = []
    for (const [index, age] of tokens.entries()) {
      if (index % 2 === 0) seconds.push({ latest: at - age, tokens: tokens[index + 1] ?? 0 })
    }
    return { name: { level, owner, model }, times: times.reverse(), seconds }
  })
}
