// Calls and streams through a proxy without a pause, with the outcome of each.
import { expect } from 'bun:test'
import type { Sandbox } from '@fairgate/sandbox/start-sandbox.ts'
import { type Place, readCharges, readOpenCosts } from '../../testing/stored-rows.ts'
import { gatewayUrl, trusting } from './start-proxy.ts'

export type Answer = {
  readonly status: number
  readonly isWhole: boolean
  readonly callId: string | null
  readonly cost: string | null
}

export const chat = (key: string, stream = false, more: object = {}) =>
  fetch(`${gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'mm-2.5-flash',
      max_tokens: 16,
      stream,
      messages: [{ role: 'user', content: 'Hello.' }],
      ...more,
    }),
    tls: trusting,
  })

async function ask(key: string, stream: boolean): Promise<Answer> {
  const response = await chat(key, stream)
  const text = await response.text()
  return {
    status: response.status,
    isWhole: stream ? text.endsWith('[DONE]\n\n') : text.endsWith('}'),
    callId: response.headers.get('x-gateway-call-id'),
    cost: response.headers.get('x-gateway-response-cost'),
  }
}

const atOnce = 24

/** Every second call is a stream. Runs until `end`, and at least until `total` calls were sent. */
export class ProxyLoad {
  readonly atOnce = atOnce
  /** Complete answers with status 200. */
  readonly answers: Answer[] = []
  /** Connections that broke, other statuses, answers that were cut off. */
  readonly failures: string[] = []
  sent = 0
  #longestMs = 0
  #isEnding = false
  readonly #began = performance.now()
  readonly #key: string
  readonly #total: number
  readonly #callers: Promise<unknown>

  constructor(key: string, total: number) {
    this.#key = key
    this.#total = total
    this.#callers = Promise.all(Array.from({ length: atOnce }, () => this.#callOn()))
  }

  /** Resolves when this many calls have ended. */
  async untilEnded(count: number): Promise<void> {
    while (this.answers.length + this.failures.length < count) await Bun.sleep(5)
  }

  /** Resolves when this many calls in a row have been answered. */
  async untilWhole(inTurn: number): Promise<void> {
    for (let failed = -1; failed !== this.failures.length; ) {
      failed = this.failures.length
      const enough = this.answers.length + inTurn
      while (this.answers.length < enough && failed === this.failures.length) await Bun.sleep(5)
    }
  }

  /** Resolves with a line of figures. */
  async end(): Promise<string> {
    this.#isEnding = true
    await this.#callers
    const seconds = (performance.now() - this.#began) / 1000
    return (
      `${this.sent} calls in ${seconds.toFixed(1)} s, ${this.failures.length} failed, ` +
      `longest ${(this.#longestMs / 1000).toFixed(1)} s`
    )
  }

  async #callOn(): Promise<void> {
    while (this.sent < this.#total || !this.#isEnding) {
      const stream = this.sent % 2 === 1
      this.sent += 1
      const sentAt = performance.now()
      try {
        const answer = await ask(this.#key, stream)
        if (answer.status === 200 && answer.isWhole) this.answers.push(answer)
        else this.failures.push(`${answer.status}${answer.isWhole ? '' : ', cut off'}`)
      } catch (error) {
        this.failures.push(String(error))
      }
      this.#longestMs = Math.max(this.#longestMs, performance.now() - sentAt)
    }
  }
}

/** Checks that each answer was charged once, at its reported cost, and requested upstream once. The team has no other calls. */
export async function expectChargedOnce(
  answers: readonly Answer[],
  { place, team, sandbox }: { readonly place: Place; readonly team: string; readonly sandbox: Sandbox },
): Promise<void> {
  const charges = await readCharges(place, team)
  expect(new Set(charges.map(({ call_id }) => call_id))).toEqual(
    new Set(answers.map(({ callId }) => callId ?? 'none')),
  )
  expect(charges).toHaveLength(answers.length)
  expect(new Set(charges.map(({ outcome }) => outcome))).toEqual(new Set(['completed']))
  const reported = answers.flatMap(({ cost }) => (cost === null ? [] : [Math.round(Number(cost) * 1e9)]))
  // The sandbox's answers cost the same, whole or streamed.
  expect(new Set(charges.map(({ cost_nano }) => cost_nano))).toEqual(new Set(reported))
  expect(sandbox.counters().calls).toBe(answers.length)
  expect(await readOpenCosts(place)).toEqual([])
}
