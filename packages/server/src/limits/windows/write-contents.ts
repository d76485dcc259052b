// How a row of window changes is written: JSON that is small for many requests, and that an operator can read.
import type { LimitLevel } from '../../ledger/admission.ts'
import type { SecondOfTokens } from '../../ledger/token-window.ts'
import type { WindowContents, WindowName } from './window-contents.ts'

const levels: readonly LimitLevel[] = ['service_model', 'team', 'team_model', 'key', 'key_model']

/**
 * A list of `[level, owner, model, requests, tokens]`. `requests` are the milliseconds from each request to the next, and from the last to
 * `at`; `tokens` are pairs of the milliseconds to `at` and the tokens of that second.
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

/** Null for text that cannot be what was written. */
export function readContents(text: string, at: number): WindowContents[] | null {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return null
  }
  if (!Array.isArray(parsed)) return null
  const windows: WindowContents[] = []
  for (const entry of parsed) {
    const window = readEntry(entry, at)
    if (window === null) return null
    windows.push(window)
  }
  return windows
}

function readEntry(entry: unknown, at: number): WindowContents | null {
  if (!Array.isArray(entry) || entry.length !== 5) return null
  const [level, owner, model, requests, tokens] = entry as unknown[]
  const name = readName(level, owner, model)
  if (name === null || !isCounts(requests) || !isCounts(tokens) || tokens.length % 2 !== 0) return null
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
  return { name, times: times.reverse(), seconds }
}

function readName(level: unknown, owner: unknown, model: unknown): WindowName | null {
  const known = levels.find(name => name === level)
  if (known === undefined || !isText(owner) || !isText(model)) return null
  return (owner === null) === (known === 'service_model') &&
    (model === null) === (known === 'team' || known === 'key')
    ? { level: known, owner, model }
    : null
}

const isText = (value: unknown): value is string | null => value === null || typeof value === 'string'

const isCounts = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every(count => Number.isSafeInteger(count) && count >= 0)
