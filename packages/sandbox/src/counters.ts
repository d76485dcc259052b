// Counts the sandbox's calls and what a vendor would bill for them, so that tests can compare this with the ledger.

export type Billed = {
  calls: number
  promptTokens: number
  cachedTokens: number
  candidatesTokens: number
  thoughtsTokens: number
} & Partial<Record<keyof Goods, number>>

/** Items billed per piece. A member exists once an item was sold. */
export type Goods = {
  readonly images?: number
  readonly inputAudioTokens?: number
  readonly outputAudioTokens?: number
  /** Seconds of ordered video. */
  readonly seconds?: number
  readonly songs?: number
  /** Ordered videos, including those that fail later. */
  readonly videos?: number
  /** Prompt tokens written to Anthropic's cache, by lifetime. */
  readonly cacheWrite5mTokens?: number
  readonly cacheWrite1hTokens?: number
}

export type Counters = {
  /** Requests to generate, with any outcome. */
  calls: number
  /** Number of streams among them. */
  streams: number
  /** Requests to count tokens. */
  counted: number
  /** Files whose upload was completed. */
  files: number
  /** Replies abandoned by the caller. */
  aborted: number
  running: number
  maxRunning: number
  /** Model → usage of the replies with status 200. A stream counts as far as it got. */
  billed: Record<string, Billed>
  /** Key → model → the same, for Anthropic's dialect, in which each key has a prompt cache of its own. */
  billedByKey: Record<string, Record<string, Billed>>
}

export type Usage = {
  readonly prompt: number
  readonly cached: number
  readonly candidates: number
  readonly thoughts: number
}

const goodsNames = [
  'images',
  'inputAudioTokens',
  'outputAudioTokens',
  'seconds',
  'songs',
  'videos',
  'cacheWrite5mTokens',
  'cacheWrite1hTokens',
] as const satisfies readonly (keyof Goods)[]

export function createCounters() {
  let counters = empty()
  return Object.freeze({
    begin: (isStream: boolean): void => {
      counters.calls += 1
      if (isStream) counters.streams += 1
      counters.running += 1
      counters.maxRunning = Math.max(counters.maxRunning, counters.running)
    },
    end: (): void => {
      counters.running -= 1
    },
    count: (): void => {
      counters.counted += 1
    },
    keepFile: (): void => {
      counters.files += 1
    },
    abort: (): void => {
      counters.aborted += 1
    },
    bill: (model: string, usage: Usage, goods?: Goods, key?: string): void => {
      addToBill(counters.billed, model, usage, goods)
      if (key === undefined) return
      counters.billedByKey[key] ??= {}
      addToBill(counters.billedByKey[key], model, usage, goods)
    },
    read: (): Counters => structuredClone(counters),
    /** Keeps the count of running calls. */
    reset: (): void => {
      const { running } = counters
      counters = { ...empty(), running, maxRunning: running }
    },
  })
}

function addToBill(bills: Record<string, Billed>, model: string, usage: Usage, goods?: Goods): void {
  const billed = bills[model] ?? {
    calls: 0,
    promptTokens: 0,
    cachedTokens: 0,
    candidatesTokens: 0,
    thoughtsTokens: 0,
  }
  bills[model] = billed
  billed.calls += 1
  billed.promptTokens += usage.prompt
  billed.cachedTokens += usage.cached
  billed.candidatesTokens += usage.candidates
  billed.thoughtsTokens += usage.thoughts
  if (goods === undefined) return
  for (const name of goodsNames) {
    const sold = goods[name] ?? 0
    if (sold > 0) billed[name] = (billed[name] ?? 0) + sold
  }
}

function empty(): Counters {
  return {
    calls: 0,
    streams: 0,
    counted: 0,
    files: 0,
    aborted: 0,
    running: 0,
    maxRunning: 0,
    billed: {},
    billedByKey: {},
  }
}
