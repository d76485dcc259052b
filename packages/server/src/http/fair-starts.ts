// Starts the requests of many teams side by side. The thread takes all requests that have arrived before it looks for answers and new
// ones, so 32 requests at once from one team made everyone else's call wait four times for all of them.

/** Requests of one team that start before others have had the thread: about 0.3 ms of work. */
const startsPerTurn = 2
/** A team that has been alone for this long leaves no room for others. */
const aloneMs = 1000

type Team = { started: number; readonly queue: (() => void)[] }

export type FairStarts = {
  /** Null if the request may start at once, which is nearly always; otherwise it resolves when it may. `now`: monotonic ms. */
  readonly start: (team: string, now: number) => Promise<void> | null
  /** Monotonic ms of the last request from another team than the one before it. */
  readonly othersAt: () => number
}

/** `yieldThread` calls back once the requests that have arrived have had the thread. */
export function createFairStarts(yieldThread: (run: () => void) => void): FairStarts {
  const teams = new Map<string, Team>()
  let latest = ''
  let othersAt = Number.NEGATIVE_INFINITY
  let isCounting = false

  const beginTurn = (): void => {
    for (const [id, team] of teams) {
      if (team.queue.length === 0) teams.delete(id)
      const starting = team.queue.splice(0, startsPerTurn)
      team.started = starting.length
      for (const start of starting) start()
    }
    isCounting = teams.size > 0
    if (isCounting) yieldThread(beginTurn)
  }

  const start = (id: string, now: number): Promise<void> | null => {
    if (id !== latest) {
      latest = id
      othersAt = now
    }
    if (now - othersAt > aloneMs && !isCounting) return null
    let team = teams.get(id)
    if (team === undefined) {
      team = { started: 0, queue: [] }
      teams.set(id, team)
    }
    if (!isCounting) {
      isCounting = true
      yieldThread(beginTurn)
    }
    if (team.started < startsPerTurn) {
      team.started += 1
      return null
    }
    const { queue } = team
    return new Promise(resolve => queue.push(resolve))
  }
  return { start, othersAt: () => othersAt }
}
