// Joins two accounts of the same windows.
import type { SecondOfTokens } from '../../ledger/token-window.ts'
import { idOfWindow, type WindowContents } from './window-contents.ts'

/** What both accounts have of one second. */
type JoinTokens = (left: number, right: number) => number

/** Both have seen the same calls, though not all of them: what one has seen counts, and what both have seen counts once. */
export const mergeAccounts = (left: readonly WindowContents[], right: readonly WindowContents[]) =>
  join(left, right, Math.max)

/** Tokens of their own, that come to those of the windows. */
export const addTokens = (windows: readonly WindowContents[], more: readonly WindowContents[]) =>
  join(windows, more, (left, right) => left + right)

function join(
  left: readonly WindowContents[],
  right: readonly WindowContents[],
  joinTokens: JoinTokens,
): WindowContents[] {
  const merged = new Map(left.map(window => [idOfWindow(window.name), window]))
  for (const window of right) {
    const id = idOfWindow(window.name)
    const known = merged.get(id)
    merged.set(
      id,
      known === undefined
        ? window
        : {
            name: window.name,
            times: mergeTimes(known.times, window.times),
            seconds: mergeSeconds(known.seconds, window.seconds, joinTokens),
          },
    )
  }
  return [...merged.values()]
}

/** A call has the same millisecond in both; of each millisecond the account with more calls is believed. */
function mergeTimes(left: readonly number[], right: readonly number[]): number[] {
  const [inLeft, inRight] = [Map.groupBy(left, time => time), Map.groupBy(right, time => time)]
  const moments = [...new Set([...inLeft.keys(), ...inRight.keys()])].sort((first, second) => first - second)
  return moments.flatMap(time => {
    const [some, others] = [inLeft.get(time) ?? [], inRight.get(time) ?? []]
    return some.length > others.length ? some : others
  })
}

function mergeSeconds(
  left: readonly SecondOfTokens[],
  right: readonly SecondOfTokens[],
  joinTokens: JoinTokens,
): SecondOfTokens[] {
  const merged = new Map<number, SecondOfTokens>()
  for (const { latest, tokens } of [...left, ...right]) {
    const second = Math.floor(latest / 1000)
    const known = merged.get(second)
    merged.set(second, {
      latest: Math.max(latest, known?.latest ?? latest),
      tokens: known === undefined ? tokens : joinTokens(known.tokens, tokens),
    })
  }
  return [...merged.values()].sort((first, second) => first.latest - second.latest)
}
