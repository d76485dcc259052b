// Gives out turns for the work of large bodies. The serving thread works on one at a time, and an owner with a body that took long waits
// in proportion, so that no key holds the thread against everyone else. Small bodies need no turn.

/** A body of so many bytes takes a turn. Smaller ones occupy the thread for 1 ms at most. */
export const turnBytes = 16 * 1024

/**
 * How long an owner waits after a turn: as many ms as the cube of the milliseconds that it took. A conversation of 200 kB takes 2 ms and
 * may come 100 times a second; a body that takes 10 ms may come once a second, so that it delays fewer than 1 in 100 of its neighbours'
 * calls.
 */
const pauseMs = (workMs: number): number => Math.min(maxPauseMs, workMs ** 3)
/** Images and files of many megabytes take 20 to 60 ms, and follow-up work, such as freeing their memory, as long again. */
const maxPauseMs = 4000
/** An owner that has been alone for this long does not wait: there is no one to make room for. */
const aloneMs = 60_000
/** The time that receiving a megabyte took, in many small steps before the turn. */
const receivingMs = 1

export type TurnDependencies = {
  /** Monotonic ms. */
  readonly stopwatch: () => number
  /** Milliseconds of processor time that this thread has used: a busy machine must not make anyone wait longer. */
  readonly readWork: () => number
  /** Calls back after so many ms unless the returned function is called before. */
  readonly startTimer: (milliseconds: number, run: () => void) => () => void
  /** Calls back once everything ready has run and others have had the thread. */
  readonly yieldThread: (run: () => void) => void
  /** Monotonic ms of the last request of another owner, with or without a body. */
  readonly othersAt: () => number
}

export type WorkTurns = {
  /** Resolves when the owner's body of so many bytes may be worked on. The turn lasts until that work waits for something. */
  readonly take: (owner: string, bytes: number) => Promise<void>
}

type Body = { readonly bytes: number; readonly start: () => void }
type Owner = { readonly queue: Body[]; readyAt: number }

/** Turns go to the owner that has waited longest since it was due. */
export function createWorkTurns({
  stopwatch,
  readWork,
  startTimer,
  yieldThread,
  othersAt,
}: TurnDependencies): WorkTurns {
  const owners = new Map<string, Owner>()
  let isTaken = false
  let stopTimer: (() => void) | null = null

  const findNext = (): Owner | null => {
    let next: Owner | null = null
    for (const owner of owners.values())
      if (owner.queue.length > 0 && (next === null || owner.readyAt < next.readyAt)) next = owner
    return next
  }

  const giveNext = (): void => {
    stopTimer?.()
    stopTimer = null
    if (isTaken) return
    const next = findNext()
    if (next === null) return
    const waitMs = next.readyAt - stopwatch()
    if (waitMs > 0) {
      stopTimer = startTimer(waitMs, giveNext)
      return
    }
    const body = next.queue.shift()
    if (body !== undefined) give(next, body)
  }

  const give = (owner: Owner, { bytes, start }: Body): void => {
    const before = readWork()
    isTaken = true
    start()
    yieldThread(() => {
      const now = stopwatch()
      const isAlone = now - othersAt() > aloneMs
      owner.readyAt = isAlone ? now : now + pauseMs(readWork() - before + (receivingMs * bytes) / 1e6)
      isTaken = false
      forgetIdle()
      giveNext()
    })
  }

  const forgetIdle = (): void => {
    const now = stopwatch()
    for (const [id, { queue, readyAt }] of owners) if (queue.length === 0 && readyAt <= now) owners.delete(id)
  }

  return {
    take: (id, bytes) =>
      new Promise(start => {
        const owner = owners.get(id) ?? { queue: [], readyAt: Number.NEGATIVE_INFINITY }
        owners.set(id, owner)
        owner.queue.push({ bytes, start })
        giveNext()
      }),
  }
}

/** Milliseconds of processor time. */
export function readThreadWork(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
