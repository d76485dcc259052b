// Lets short calls of one route wait for each other: Claude Code counts tokens 26 times at once, and a key may have few parallel slots.
import type { EarlyRefusal } from '../limits/port.ts'

/** Per key. More are refused at once. */
export const mostWaiting = 64

type Enter = () => EarlyRefusal | null | Promise<EarlyRefusal | null>

/** Of one key. `calls` counts all of them, `running` those that have a slot. */
type Line = { readonly keyHash: string; calls: number; running: number; readonly waiting: (() => void)[] }

/**
 * A call for which no slot is free waits until one of the same key and route has left, first come, first served. Where none of them
 * runs, other calls have the slots, perhaps for minutes: then it is refused as any other. No body is read meanwhile.
 */
export class WaitingLine {
  readonly #lines = new Map<string, Line>()
  readonly #lineOfCall = new Map<string, Line>()

  /** `enter` takes a slot, or says why not. A call that has entered must leave. */
  async enter(keyHash: string, callId: string, enter: Enter): Promise<EarlyRefusal | null> {
    const line = this.#lines.get(keyHash) ?? { keyHash, calls: 0, running: 0, waiting: [] }
    this.#lines.set(keyHash, line)
    line.calls += 1
    let hasEntered = false
    try {
      const refused = await takeTurns(line, enter)
      hasEntered = refused === null
      if (hasEntered) this.#lineOfCall.set(callId, line)
      return refused
    } finally {
      if (!hasEntered) this.#end(line)
    }
  }

  leave(callId: string): void {
    const line = this.#lineOfCall.get(callId)
    if (line === undefined) return
    this.#lineOfCall.delete(callId)
    line.running -= 1
    line.waiting.shift()?.()
    this.#end(line)
  }

  /** Keys with calls, for tests of its bound. */
  keys(): number {
    return this.#lines.size
  }

  #end(line: Line): void {
    line.calls -= 1
    // Nobody who leaves would tell the next one.
    if (line.running === 0) line.waiting.shift()?.()
    if (line.calls === 0) this.#lines.delete(line.keyHash)
  }
}

async function takeTurns(line: Line, enter: Enter): Promise<EarlyRefusal | null> {
  const { waiting } = line
  for (let isInLine = false; ; isInLine = true) {
    const isFull = !isInLine && waiting.length >= mostWaiting
    if (isInLine || isFull || waiting.length === 0) {
      const entering = enter()
      const refused = entering instanceof Promise ? await entering : entering
      if (refused === null) {
        line.running += 1
        return null
      }
      if (refused.refusal.code !== 'parallel_exceeded' || isFull || line.running === 0) return refused
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    if (isInLine) waiting.unshift(resolve)
    else waiting.push(resolve)
    await promise
  }
}
