// Starts the requests of many teams side by side. The thread takes all requests that have arrived before it looks for answers and new
// ones, so 32 requests at once from one team made everyone else's call wait four times for all of them.

/** Requests of one team that start before others have had the thread: about 0.3 ms of work. */
const startsPerTurn = 2
/** A team that has been alone for this long leaves no room for others. */
const aloneMs = 1000

type Team = { started: number; readonly queue: (() => void)[] }

/** Null if the request may start at once, which is nearly always; otherwise it resolves when it may. `now`: monotonic ms. */
export type FairStart = (team: string, now: number) => Promise<void> | null

/** `yieldThread` calls back once the requests that have arrived have had the thread. */
export function createFairStart(yieldThread: (run: () => void) => void): FairStart {
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

  return (id, now) => {
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
}
