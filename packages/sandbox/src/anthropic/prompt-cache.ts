// Anthropic's prompt cache: prefixes of earlier prompts by key and model, each readable until its lifetime is over.
import { hash } from '../media/hash.ts'

export type Lifetime = '5m' | '1h'

/** A piece of a prompt at which a prefix may end, in the order tools, system, messages. */
export type PromptBlock = {
  /** Everything that must be the same in a later prompt. */
  readonly content: string
  readonly tokens: number
  /** Set if `cache_control` asks to cache the prefix that ends here. */
  readonly lifetime: Lifetime | null
}

export type CacheUse = { readonly read: number; readonly written5m: number; readonly written1h: number }

const noCacheUse: CacheUse = { read: 0, written5m: 0, written1h: 0 }

/** Shorter prefixes are not cached; the API says nothing about it. */
const leastCachedTokens = 1_024
/** A breakpoint also finds a prefix that ended up to 20 blocks earlier. */
const lookback = 20
const lifetimeMs: Readonly<Record<Lifetime, number>> = { '5m': 5 * 60_000, '1h': 60 * 60_000 }
/** Bounds the memory of a sandbox that runs for days. The oldest entries go first. */
const maxEntries = 10_000

type Entry = { readonly lifetime: Lifetime; expiresAt: number }

export function createPromptCache(now: () => number) {
  const entries = new Map<string, Entry>()

  const isCached = (name: string): boolean => {
    const entry = entries.get(name)
    if (entry !== undefined && entry.expiresAt > now()) return true
    entries.delete(name)
    return false
  }

  const touch = (name: string, lifetime: Lifetime): void => {
    // Set anew, so that the first entry is the one that was used longest ago.
    entries.delete(name)
    entries.set(name, { lifetime, expiresAt: now() + lifetimeMs[lifetime] })
    const [oldest] = entries.keys()
    if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest)
  }

  /** Reads the longest known prefix and writes the rest up to the last breakpoint. `scope`: key and model. */
  return (scope: string, blocks: readonly PromptBlock[]): CacheUse => {
    const breakpoints = blocks.flatMap(({ lifetime }, index) =>
      lifetime === null ? [] : [{ index, lifetime }],
    )
    if (breakpoints.length === 0) return noCacheUse
    const { names, sums } = namePrefixes(scope, blocks)
    const found = findPrefix(breakpoints, index => isCached(names[index] ?? ''))
    const read = found === null ? 0 : (sums[found] ?? 0)
    if (found !== null) {
      // A read prefix lives on for its full lifetime again, free of charge.
      const lived = breakpoints.filter(({ index }) => index < found).map(({ index }) => index)
      for (const index of [...lived, found]) {
        const entry = entries.get(names[index] ?? '')
        if (entry !== undefined) touch(names[index] ?? '', entry.lifetime)
      }
    }
    const written = { '5m': 0, '1h': 0 }
    let end = read
    for (const { index, lifetime } of breakpoints) {
      const tokens = sums[index] ?? 0
      if (tokens <= end || tokens < leastCachedTokens) continue
      written[lifetime] += tokens - end
      end = tokens
      touch(names[index] ?? '', lifetime)
    }
    return { read, written5m: written['5m'], written1h: written['1h'] }
  }
}

/** Each prefix's name depends on all blocks before it. */
function namePrefixes(scope: string, blocks: readonly PromptBlock[]) {
  let name = scope
  let sum = 0
  const names: string[] = []
  const sums: number[] = []
  for (const { content, tokens } of blocks) {
    name = hash(`${name}\n${content}`).toString('base64')
    sum += tokens
    names.push(name)
    sums.push(sum)
  }
  return { names, sums }
}

/** The index of the last block of the longest cached prefix; null if there is none. */
function findPrefix(
  breakpoints: readonly { readonly index: number }[],
  isCached: (index: number) => boolean,
): number | null {
  for (const { index: last } of breakpoints.toReversed()) {
    for (let index = last; index >= Math.max(0, last - lookback); index -= 1)
      if (isCached(index)) return index
  }
  return null
}
