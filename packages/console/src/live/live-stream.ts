// One live connection for all topics of a page. Also tracks how fresh the data is and the server's clock.

/** Called with the data of each event of a topic. */
export type LiveListener = (data: unknown) => void

/** `live`: the server was heard within 10 s. `connecting`: first connection or a reconnect. `stale`: silent for longer. `off`: no topics. */
export type LiveState = {
  readonly kind: 'off' | 'connecting' | 'live' | 'stale'
  /** When the server was last heard, in Unix ms of the page's clock. */
  readonly heardAt: number | null
  /** Topics that the server could not read last time. */
  readonly staleTopics: readonly string[]
}

/** The part of `EventSource` used here. */
export type EventConnection = {
  addEventListener(name: string, listener: (event: { readonly data: string }) => void): void
  close(): void
}

export type LiveStreamDependencies = {
  readonly connect: (address: string) => EventConnection
  /** Returns the address for these topics. */
  readonly addressOf: (topics: readonly string[]) => string
  /** Unix ms. */
  readonly now: () => number
  readonly after: (milliseconds: number, run: () => void) => () => void
  /** Called when events may have been missed, so that the page reloads its data. */
  readonly onMissed: () => void
}

const staleMs = 10_000
const gatherMs = 50
const retryMs = 3_000
const maxRetryMs = 15_000

export class LiveStream {
  readonly #given: LiveStreamDependencies
  readonly #listeners = new Map<string, Set<LiveListener>>()
  readonly #watchers = new Set<() => void>()
  #connection: EventConnection | null = null
  #connected: readonly string[] = []
  #state: LiveState = { kind: 'off', heardAt: null, staleTopics: [] }
  #offsetMs: number | null = null
  #cancelGather: (() => void) | null = null
  #cancelStale: (() => void) | null = null
  #cancelRetry: (() => void) | null = null
  #retries = 0
  #isAsleep = false

  constructor(dependencies: LiveStreamDependencies) {
    this.#given = dependencies
  }

  /** For `useSyncExternalStore`. */
  readonly state = (): LiveState => this.#state
  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** The server's clock in Unix ms: the page's clock, corrected by the last beat. */
  readonly serverNow = (): number => this.#given.now() + (this.#offsetMs ?? 0)

  /** Calls `listener` with the data of each event of this topic. Returns a function that stops it. */
  listen(topic: string, listener: LiveListener): () => void {
    const known = this.#listeners.get(topic) ?? new Set()
    this.#listeners.set(topic, known)
    known.add(listener)
    this.#gather()
    return () => {
      known.delete(listener)
      if (known.size === 0 && this.#listeners.get(topic) === known) this.#listeners.delete(topic)
      this.#gather()
    }
  }

  /** Disconnects while the page is hidden. */
  sleep(): void {
    this.#isAsleep = true
    this.#close()
    this.#stopWaiting()
    this.#set({ kind: 'off' })
  }

  wake(): void {
    if (!this.#isAsleep) return
    this.#isAsleep = false
    this.#given.onMissed()
    this.#connect()
  }

  close(): void {
    this.#isAsleep = true
    this.#close()
    this.#stopWaiting()
  }

  /** Reconnects at once, for a reader who does not want to wait for the next attempt. */
  retry(): void {
    if (this.#isAsleep) return
    this.#given.onMissed()
    this.#connect()
  }

  /** Opens one connection for all topics that change within `gatherMs`, because components mount together. */
  #gather(): void {
    this.#cancelGather ??= this.#given.after(gatherMs, () => {
      this.#cancelGather = null
      const topics = [...this.#listeners.keys()].sort()
      if (topics.join() !== this.#connected.join()) this.#connect()
    })
  }

  #connect(): void {
    this.#close()
    if (this.#isAsleep) return
    const topics = [...this.#listeners.keys()].sort()
    this.#connected = topics
    if (topics.length === 0) {
      this.#stopWaiting()
      this.#set({ kind: 'off' })
      return
    }
    const connection = this.#given.connect(this.#given.addressOf(topics))
    this.#connection = connection
    for (const topic of topics) {
      connection.addEventListener(topic, ({ data }) => {
        this.#heard()
        const value: unknown = JSON.parse(data)
        for (const listener of this.#listeners.get(topic) ?? []) listener(value)
      })
    }
    connection.addEventListener('beat', ({ data }) => {
      const { now, stale } = JSON.parse(data) as { readonly now: string; readonly stale: readonly string[] }
      this.#offsetMs = Date.parse(now) - this.#given.now()
      this.#heard(stale)
    })
    connection.addEventListener('reset', () => this.#given.onMissed())
    connection.addEventListener('error', () => this.#failed(connection))
    if (this.#state.kind === 'stale') return
    this.#set({ kind: 'connecting' })
    // Another attempt does not make the data fresher, so the timer keeps running.
    if (this.#cancelStale === null) this.#expectWord()
  }

  #heard(stale: readonly string[] = this.#state.staleTopics): void {
    this.#retries = 0
    this.#set({ kind: 'live', heardAt: this.#given.now(), staleTopics: stale })
    this.#expectWord()
  }

  #expectWord(): void {
    this.#stopWaiting()
    this.#cancelStale = this.#given.after(staleMs, () => {
      this.#cancelStale = null
      this.#set({ kind: 'stale' })
    })
  }

  #stopWaiting(): void {
    this.#cancelStale?.()
    this.#cancelStale = null
  }

  /** Reconnects after an error, because browsers do so by themselves only for some errors. */
  #failed(connection: EventConnection): void {
    if (this.#connection !== connection) return
    connection.close()
    this.#connection = null
    if (this.#state.kind === 'live') this.#set({ kind: 'connecting' })
    const wait = Math.min(maxRetryMs, retryMs * 1.5 ** this.#retries)
    this.#retries += 1
    this.#cancelRetry?.()
    this.#cancelRetry = this.#given.after(wait, () => {
      this.#given.onMissed()
      this.#connect()
    })
  }

  #close(): void {
    this.#connection?.close()
    this.#connection = null
    this.#connected = []
    this.#cancelRetry?.()
    this.#cancelRetry = null
  }

  #set(change: Partial<LiveState>): void {
    this.#state = { ...this.#state, ...change }
    for (const watcher of this.#watchers) watcher()
  }
}
