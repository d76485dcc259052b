// Runs the live stream: reads the topics that have readers, at a limited rate, and wakes the readers. With no readers, nothing runs.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { unavailable } from '@fairgate/contracts/errors/refusals.ts'
import { nameNetwork } from '../http/client-address.ts'
import type { Every } from '../people/serve-live.ts'
import type { World } from '../world/world.ts'
import { type Change, keptMs, LiveState } from './live-state.ts'

/** The things of each topic by name, as JSON; if a topic has only one thing, its name is ''. */
export type TopicTexts = ReadonlyMap<string, ReadonlyMap<string, string>>

/** Topics that are read together. */
export type LiveSource = {
  readonly isOf: (topic: string) => boolean
  /** Min time between readings of these topics. */
  readonly everyMs: (topics: ReadonlySet<string>) => number
  /** False: things that are no longer listed are dropped without notice to readers. */
  readonly reportsGone?: false
  /** Returns a result for each requested topic. */
  readonly read: (topics: ReadonlySet<string>) => Promise<TopicTexts>
}

export type LiveFeedDependencies = Pick<World, 'clock' | 'stopwatch'> & {
  readonly every: Every
  readonly sources: readonly LiveSource[]
  /** Version of the directory. */
  readonly version: () => number
  /** Names this process in readers' places: no two processes have the same. */
  readonly newId: () => string
  /** Called if something could not be read. */
  readonly report: (error: unknown) => void
  /** `maxReaders` if absent. */
  readonly maxReaders?: number
  /** Event name for a topic; its own name if absent. */
  readonly nameEvent?: (topic: string) => string
}

/** Consoles and walls of a large event; each has its own connection. */
export const maxReaders = 100
/** A person has a few pages open on two or three devices; a team may share one key. */
export const maxReadersPerOwner = 16
/** One address takes at most two thirds of a feed: a whole hall may be behind it, and the others still find room. */
const addressShare = 2 / 3
/** By then the server has noticed that the pages which a client has left are gone. */
const refusedSeconds = 5
const tickMs = 500
export const beatMs = 5000
/** Reading takes at most a twentieth of the time: slower topics are read less often. */
const restFactor = 19
/** If a stream ends because the server stops, its reader soon finds another one. */
const retryMs = 2000
const maxMessageLength = 16_000

/** The caller that opens a stream. */
export type StreamOpener = {
  /** The key or session that reads; null if no credential does. */
  readonly owner: string | null
  readonly address: string | null
}

type Progress = { nextAt: number; running: Promise<void> | null; isStale: boolean }

export class LiveFeed {
  readonly #dependencies: LiveFeedDependencies
  readonly #state = new LiveState()
  readonly #epoch: string
  readonly #readers = new Set<LiveReader>()
  readonly #progress = new Map<LiveSource, Progress>()
  /** Unix ms of the last reading, by topic. */
  readonly #readAt = new Map<string, number>()
  #stopTimer: (() => void) | null = null
  #isClosed = false

  constructor(dependencies: LiveFeedDependencies) {
    this.#dependencies = dependencies
    this.#epoch = dependencies.newId()
  }

  get readers(): number {
    return this.#readers.size
  }

  /**
   * `lastId`: of the last event that the reader has seen; null for a new reader. Rejects with ApiError `too_many_streams` if this key or
   * address has too many readers, and `unavailable` if a topic cannot be read or there are too many readers in total.
   */
  async open(
    topics: ReadonlySet<string>,
    lastId: string | null,
    { owner, address }: StreamOpener,
  ): Promise<LiveReader> {
    const opener = { owner, network: nameNetwork(address) }
    this.#requireRoom(opener)
    const place = lastId === null ? null : this.#readPlace(lastId)
    const reader = new LiveReader({
      topics,
      opener,
      place,
      isReset: lastId !== null && place === null,
      state: this.#state,
      write: (changes, sequence) => this.#write(changes, sequence),
      beat: () => this.#beat(topics),
      leave: left => this.#leave(left),
      stopwatch: this.#dependencies.stopwatch,
    })
    if (this.#isClosed) {
      reader.end()
      return reader
    }
    this.#readers.add(reader)
    try {
      await this.#readFor(topics)
    } catch (error) {
      this.#leave(reader)
      throw error
    }
    this.#stopTimer ??= this.#dependencies.every(tickMs, () => this.#tick())
    return reader
  }

  /** Ends all streams; those that are opened from now on end at once. */
  close(): void {
    this.#isClosed = true
    for (const reader of this.#readers) reader.end()
  }

  /** Counted at each opening: there are at most a few thousand readers, and no counters to keep in step. */
  #requireRoom({ owner, network }: LiveReader['opener']): void {
    const most = this.#dependencies.maxReaders ?? maxReaders
    const maxOfAddress = Math.ceil(most * addressShare)
    let ofOwner = 0
    let ofNetwork = 0
    for (const { opener } of this.#readers) {
      if (owner !== null && opener.owner === owner) ofOwner += 1
      if (opener.network === network) ofNetwork += 1
    }
    if (ofOwner >= maxReadersPerOwner)
      throw refuseStream(
        `This key or session has ${ofOwner} live streams open, which is the maximum. Close some of your pages.`,
      )
    if (ofNetwork >= maxOfAddress)
      throw refuseStream(
        `Your address has ${ofNetwork} live streams open, which is the maximum. Close some of your pages.`,
      )
    if (this.#readers.size >= most)
      throw unavailable(
        refusedSeconds,
        undefined,
        `The stream already has ${most} readers, which is the maximum. Close one of them.`,
      )
  }

  #leave(reader: LiveReader): void {
    this.#readers.delete(reader)
    if (this.#readers.size > 0) return
    this.#stopTimer?.()
    this.#stopTimer = null
  }

  async #tick(): Promise<void> {
    const topics = new Set([...this.#readers].flatMap(reader => [...reader.topics]))
    const now = this.#dependencies.stopwatch()
    const due = this.#dependencies.sources.filter(source => {
      const { nextAt, running } = this.#progressOf(source)
      return running === null && nextAt <= now
    })
    await Promise.all(due.map(source => this.#read(source, topics).catch(this.#dependencies.report)))
    this.#state.tidy(this.#dependencies.clock())
    this.#dropUnread(topics)
    for (const reader of this.#readers) reader.wake()
  }

  /** There are as many topics as sessions: those that have not been read for long are forgotten. */
  #dropUnread(topics: ReadonlySet<string>): void {
    const before = this.#dependencies.clock() - keptMs
    for (const [topic, readAt] of this.#readAt) {
      if (readAt > before || topics.has(topic)) continue
      this.#readAt.delete(topic)
      this.#state.drop(topic)
    }
  }

  /** For a new reader: everything that it asks for, as of now. */
  async #readFor(topics: ReadonlySet<string>): Promise<void> {
    const { sources } = this.#dependencies
    for (const source of sources) {
      const asked = new Set([...topics].filter(source.isOf))
      if (asked.size === 0) continue
      // The reading in progress may have started before this reader came.
      await this.#progressOf(source).running?.catch(() => undefined)
      const isKnown = this.#dependencies.stopwatch() < this.#progressOf(source).nextAt
      if (!isKnown || ![...asked].every(topic => this.#readAt.has(topic))) await this.#read(source, asked)
    }
  }

  #read(source: LiveSource, topics: ReadonlySet<string>): Promise<void> {
    const asked = new Set([...topics].filter(source.isOf))
    if (asked.size === 0) return Promise.resolve()
    const progress = this.#progressOf(source)
    const running = this.#readNow(source, asked, progress)
    progress.running = running
    return running
  }

  async #readNow(source: LiveSource, asked: ReadonlySet<string>, progress: Progress): Promise<void> {
    const { clock, stopwatch } = this.#dependencies
    const [startedAt, readAt] = [stopwatch(), clock()]
    try {
      const texts = await source.read(asked)
      for (const topic of asked) {
        this.#state.replace(topic, texts.get(topic) ?? new Map(), clock(), source.reportsGone ?? true)
        this.#readAt.set(topic, readAt)
      }
      progress.isStale = false
    } catch (error) {
      progress.isStale = true
      throw error
    } finally {
      const took = stopwatch() - startedAt
      // Ticks come at their own pace: a few milliseconds early are on time.
      progress.nextAt = Math.max(
        startedAt + source.everyMs(asked) - tickMs / 10,
        stopwatch() + took * restFactor,
      )
      progress.running = null
    }
  }

  #progressOf(source: LiveSource): Progress {
    const known = this.#progress.get(source)
    if (known !== undefined) return known
    const progress: Progress = { nextAt: 0, running: null, isStale: false }
    this.#progress.set(source, progress)
    return progress
  }

  /** Null for a place of another process, and for one from before the known changes. */
  #readPlace(id: string): number | null {
    const [epoch, digits = ''] = id.split('.')
    const sequence = /^\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN
    return epoch === this.#epoch && this.#state.knows(sequence) ? sequence : null
  }

  /** One event for each topic, more if it is long; the last one has the place, so that a broken connection repeats and skips nothing. */
  #write(changes: readonly Change[], sequence: number): string {
    const events = [...Map.groupBy(changes, ({ topic }) => topic)].flatMap(([topic, own]) =>
      this.#writeTopic(topic, own),
    )
    const last = events.pop()
    return last === undefined ? '' : [...events, `id: ${this.#epoch}.${sequence}\n${last}`].join('')
  }

  #writeTopic(topic: string, changes: readonly Change[]): string[] {
    const asOf = new Date(this.#readAt.get(topic) ?? this.#dependencies.clock()).toISOString()
    const name = this.#nameEvent(topic)
    const head = `event: ${name}\ndata: {"as_of":"${asOf}","version":${this.#dependencies.version()},`
    const [only] = changes
    if (only?.name === '') return only.text === null ? [] : [`${head}${only.text.slice(1)}\n\n`]
    const gone = changes.flatMap(({ name, text }) => (text === null ? [JSON.stringify(name)] : []))
    const texts = changes.flatMap(({ text }) => text ?? [])
    return cutIntoMessages(texts).map(
      (items, index) =>
        `${head}"items":[${items.join(',')}],"gone":[${index === 0 ? gone.join(',') : ''}]}\n\n`,
    )
  }

  #nameEvent(topic: string): string {
    return this.#dependencies.nameEvent?.(topic) ?? topic
  }

  /** `stale`: topics with figures that could not be read the last time. */
  #beat(topics: ReadonlySet<string>): string {
    const stale = this.#dependencies.sources
      .filter(source => this.#progressOf(source).isStale)
      .flatMap(source => [...topics].filter(source.isOf))
      .map(topic => this.#nameEvent(topic))
    const now = new Date(this.#dependencies.clock()).toISOString()
    return `event: beat\nid: ${this.#epoch}.${this.#state.sequence}\ndata: ${JSON.stringify({ now, stale })}\n\n`
  }
}

function refuseStream(message: string): ApiError {
  return new ApiError('too_many_streams', { message, headers: { 'retry-after': String(refusedSeconds) } })
}

function cutIntoMessages(texts: readonly string[]): string[][] {
  const messages: string[][] = [[]]
  let length = 0
  for (const text of texts) {
    if (length > 0 && length + text.length > maxMessageLength) {
      messages.push([])
      length = 0
    }
    messages.at(-1)?.push(text)
    length += text.length
  }
  return messages
}

type ReaderOptions = Pick<World, 'stopwatch'> & {
  readonly topics: ReadonlySet<string>
  readonly opener: { readonly owner: string | null; readonly network: string }
  /** The last change that it has seen; null for none. */
  readonly place: number | null
  /** Its place is no longer known. */
  readonly isReset: boolean
  readonly state: LiveState
  readonly write: (changes: readonly Change[], sequence: number) => string
  readonly beat: () => string
  readonly leave: (reader: LiveReader) => void
}

type Step = IteratorResult<string, void>

/** The body of a reply: asks for changes when its client has taken everything before. */
export class LiveReader implements AsyncIterable<string>, AsyncIterator<string, void> {
  readonly topics: ReadonlySet<string>
  readonly opener: ReaderOptions['opener']
  readonly #options: ReaderOptions
  #place: number
  /** The first text to send. */
  #opening: string
  #beatAt: number
  #give: ((step: Step) => void) | null = null
  #isOver = false

  constructor(options: ReaderOptions) {
    this.#options = options
    this.topics = options.topics
    this.opener = options.opener
    this.#place = options.place ?? -1
    const reset = `event: reset\ndata: {"kept_seconds":${keptMs / 1000}}\n\n`
    this.#opening = `retry: ${retryMs}\n\n${options.isReset ? reset : ''}`
    this.#beatAt = 0
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<Step> {
    const text = this.#take()
    if (text !== '') return Promise.resolve({ done: false, value: text })
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined })
    return new Promise(resolve => {
      this.#give = resolve
    })
  }

  async return(): Promise<Step> {
    this.end()
    return { done: true, value: undefined }
  }

  /** Sends pending changes if its client waits. */
  wake(): void {
    if (this.#give === null) return
    const value = this.#take()
    if (value !== '') this.#answer({ done: false, value })
  }

  end(): void {
    this.#isOver = true
    this.#options.leave(this)
    this.#answer({ done: true, value: undefined })
  }

  #answer(step: Step): void {
    const give = this.#give
    this.#give = null
    give?.(step)
  }

  #take(): string {
    const { state, write, beat, stopwatch } = this.#options
    let text = this.#opening
    this.#opening = ''
    if (this.#isOver) return text
    // A reader that has taken nothing for so long that a change it needs is forgotten begins again.
    if (this.#place >= 0 && !state.knows(this.#place)) {
      text += `event: reset\ndata: {"kept_seconds":${keptMs / 1000}}\n\n`
      this.#place = -1
    }
    const changes = state.since(this.#place, this.topics)
    this.#place = state.sequence
    if (changes.length > 0) text += write(changes, this.#place)
    if (stopwatch() >= this.#beatAt) {
      text += beat()
      this.#beatAt = stopwatch() + beatMs - tickMs / 2
    }
    return text
  }
}
