// Plays one team of a rehearsal: its members call models, its recorder keeps entries, and it pushes them in waves.
import {
  buildEntries,
  membersPerTeam,
  planCall,
  type RehearsalModels,
  thinkFor,
  waveOf,
} from './plan-rehearsal.ts'
import type { Tally } from './tally.ts'

export type RehearsalWorld = {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Monotonic ms. */
  readonly stopwatch: () => number
  /** Unix ms. */
  readonly clock: () => number
  /** In [0, 1). */
  readonly random: () => number
  /** Resolves after this many ms, or when the signal aborts. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<unknown>
}

export type TeamCredentials = {
  readonly teamId: string
  readonly key: string
  readonly token: string
  /** Calls without a pause, like a broken script. */
  readonly isLoop: boolean
}

export type RehearsalSurroundings = {
  readonly world: RehearsalWorld
  readonly gatewayUrl: string
  readonly logbookUrl: string
  readonly models: RehearsalModels
  readonly tally: Tally
  /** Aborted when the time is up: no new calls begin. */
  readonly over: AbortSignal
  /** Aborted when running calls must end too. */
  readonly cut: AbortSignal
  /** Stopwatch reading. */
  readonly startedAt: number
}

/** The number that a recorder sends in one request at this entry size. */
const entriesPerRequest = 200

export class RehearsalTeam {
  readonly #credentials: TeamCredentials
  readonly #surroundings: RehearsalSurroundings
  readonly #pending: object[] = []

  constructor(credentials: TeamCredentials, surroundings: RehearsalSurroundings) {
    this.#credentials = credentials
    this.#surroundings = surroundings
  }

  /** Works until the time is up, then sends the remaining entries. Never rejects. */
  async run(): Promise<void> {
    const members = Array.from({ length: membersPerTeam }, (_, member) => this.#work(member))
    await Promise.all([...members, this.#pushInWaves()])
    await this.#push()
  }

  #elapsed(): number {
    return this.#surroundings.world.stopwatch() - this.#surroundings.startedAt
  }

  async #work(member: number): Promise<void> {
    const { world, over } = this.#surroundings
    const { isLoop } = this.#credentials
    // Spreads the members' start times.
    await world.wait(world.random() * 2000, over)
    for (let number = member; !over.aborted; number += 1) {
      const isAnswered = await this.#call(member, number)
      // A refused looping script waits a little, or the machine would spend all its time refusing it.
      const pause = isLoop && !isAnswered ? 50 : thinkFor(this.#elapsed(), isLoop, world.random())
      await world.wait(pause, over)
    }
  }

  /** False when it was refused or failed. */
  async #call(member: number, number: number): Promise<boolean> {
    const { world, gatewayUrl, models, tally, cut } = this.#surroundings
    const { key, teamId, isLoop } = this.#credentials
    const planned = planCall(number, models, `Team ${teamId}, member ${member}, turn ${number}.`)
    const started = world.stopwatch()
    try {
      const response = await world.fetch(`${gatewayUrl}${planned.path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(planned.body),
        signal: cut,
      })
      if (!response.ok) {
        await this.#noteRefusal(response, isLoop)
        return false
      }
      const answer = planned.isStream ? await this.#readStream(response, started) : await readWhole(response)
      tally.addCall({ milliseconds: world.stopwatch() - started, ...answer })
      // A loop is a script, not an agent, so no recorder sees it.
      if (!isLoop) this.#record(member, number)
      return true
    } catch (error) {
      if (!cut.aborted) tally.addFailure(describeFailure(error))
      return false
    }
  }

  async #noteRefusal(response: Response, isLoop: boolean): Promise<void> {
    const { tally } = this.#surroundings
    const body: unknown = await response.json().catch(() => null)
    const code: unknown = Object(Object(body).error).code
    const name = typeof code === 'string' ? code : `HTTP ${response.status}`
    if (response.status >= 500) tally.addFailure(name)
    else tally.addRefusal(name, isLoop)
  }

  /** A stream reports its cost in the chunk with its usage. A stream without a cost was cut off. */
  async #readStream(response: Response, started: number) {
    const { stopwatch } = this.#surroundings.world
    const decoder = new TextDecoder()
    let firstTokenMs: number | null = null
    let text = ''
    for await (const bytes of response.body ?? []) {
      firstTokenMs ??= stopwatch() - started
      // The cost is near the end, so earlier text is dropped.
      text = (text + decoder.decode(bytes, { stream: true })).slice(-longestTail)
    }
    const cost = /"cost":\s*([\d.e-]+)/.exec(text)?.[1]
    if (cost === undefined || firstTokenMs === null) throw new Error('a stream ended without a cost')
    return { firstTokenMs, costNano: toNano(cost) }
  }

  #record(member: number, number: number): void {
    const { world, models } = this.#surroundings
    const now = new Date(world.clock()).toISOString()
    const model = models.chat[0] ?? ''
    this.#pending.push(...buildEntries({ teamId: this.#credentials.teamId, member, number, now, model }))
  }

  async #pushInWaves(): Promise<void> {
    const { world, over } = this.#surroundings
    let pushed = 0
    while (!over.aborted) {
      await world.wait(lookMs, over)
      const wave = waveOf(this.#elapsed())
      if (wave === pushed) continue
      pushed = wave
      await this.#push()
    }
  }

  async #push(): Promise<void> {
    const { world, logbookUrl, tally, cut } = this.#surroundings
    while (this.#pending.length > 0 && !cut.aborted) {
      const entries = this.#pending.splice(0, entriesPerRequest)
      const started = world.stopwatch()
      try {
        const response = await world.fetch(`${logbookUrl}/api/ingest`, {
          method: 'POST',
          headers: { authorization: `Bearer ${this.#credentials.token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ entries }),
          signal: cut,
        })
        const reply: unknown = await response.json()
        if (!response.ok) {
          tally.addFailure(`push: HTTP ${response.status}`)
          continue
        }
        const { stored, duplicates } = Object(reply)
        const kept = Number(stored) + Number(duplicates)
        tally.addPush({ milliseconds: world.stopwatch() - started, sent: entries.length, kept })
      } catch (error) {
        if (!cut.aborted) tally.addFailure(`push: ${describeFailure(error)}`)
      }
    }
  }
}

const lookMs = 250
const longestTail = 4096

async function readWhole(response: Response) {
  await response.arrayBuffer()
  return { costNano: toNano(response.headers.get('x-gateway-response-cost') ?? '0'), firstTokenMs: null }
}

/** Converts the decimal dollars that clients get; calls cost far less than a double's exact range. */
function toNano(usd: string): number {
  return Math.round(Number(usd) * 1e9)
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error ? String(error.code) : error.message
}
