// Bounds the memory of request bodies: per key, per door and for the process. A body that finds no room waits unread (the runtime
// stops reading its connection), in a queue that is fair between keys and bounded in number and time.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { unavailable } from '@fairgate/contracts/errors/refusals.ts'
import { type BodyPool, createBodyPool, fits, type SizeClass, sizeClassOf } from './body-pool.ts'

export type BodyLimits = {
  /** Bytes in memory at once. */
  readonly key: number
  readonly door: number
  readonly process: number
  /** Bodies that may wait. A waiting connection holds about 1.3 MB. */
  readonly waitingPerKey: number
  readonly waiting: number
  readonly waitMs: number
}

export type RefusalCause = 'key' | 'door' | 'process'

export type BodyBudgetDependencies = {
  readonly limits: BodyLimits
  /** Calls back after so many ms unless the returned function is called before. */
  readonly startTimer: (milliseconds: number, run: () => void) => () => void
  readonly observeRefusal?: (door: string, cause: RefusalCause) => void
}

/** The room of one body. It must be returned on every way out. Returning it again does nothing. */
export type BodyRoom = {
  readonly bytes: () => number
  readonly giveBack: () => void
  /** Returns the part of the room that a body did not need. */
  readonly shrinkTo: (bytes: number) => void
}

export type DoorBudget = {
  /** Null if the body must wait. */
  readonly tryTake: (owner: string, bytes: number) => BodyRoom | null
  /**
   * Waits for its turn. Throws ApiError `body_bytes_exceeded` (429) if the key's own bodies are in the way, `unavailable` (503) if
   * those of others are, and `invalid_request` if the client has left.
   */
  readonly take: (owner: string, bytes: number, signal: AbortSignal) => Promise<BodyRoom>
  readonly bytesInFlight: () => number
  readonly waiting: () => number
}

export type BodyBudget = { readonly openDoor: (name: string) => DoorBudget }

type Door = { readonly name: string; readonly pool: BodyPool; waiting: number }

type Owner = {
  readonly door: Door
  readonly pool: BodyPool
  readonly queues: readonly [Waiter[], Waiter[], Waiter[]]
  waiting: number
}

type Waiter = {
  readonly owner: Owner
  readonly sizeClass: SizeClass
  readonly bytes: number
  readonly grant: (room: BodyRoom) => void
  readonly refuse: (error: ApiError) => void
}

type GiveBack = (owner: Owner, sizeClass: SizeClass, bytes: number) => void

class Room implements BodyRoom {
  readonly #giveBack: GiveBack
  readonly #owner: Owner
  readonly #sizeClass: SizeClass
  #taken: number

  constructor(giveBack: GiveBack, owner: Owner, sizeClass: SizeClass, bytes: number) {
    this.#giveBack = giveBack
    this.#owner = owner
    this.#sizeClass = sizeClass
    this.#taken = bytes
  }

  bytes(): number {
    return this.#taken
  }

  giveBack(): void {
    this.shrinkTo(0)
  }

  shrinkTo(bytes: number): void {
    const spare = this.#taken - bytes
    if (spare <= 0) return
    this.#taken = bytes
    this.#giveBack(this.#owner, this.#sizeClass, spare)
  }
}

/** If there are more owners than this, those without a body in memory are forgotten. */
const keptOwners = 1000

export function createBodyBudget({ limits, startTimer, observeRefusal }: BodyBudgetDependencies): BodyBudget {
  const processPool = createBodyPool(limits.process)
  const doors: Door[] = []
  /** Owners with waiting bodies, by class; the first is served next. */
  const rings: readonly [Owner[], Owner[], Owner[]] = [[], [], []]
  let waiting = 0

  /** The pool in the way of a body, or null. */
  const findObstacle = (owner: Owner, sizeClass: SizeClass, bytes: number): RefusalCause | null => {
    const { door, pool } = owner
    if (pool.isAwaited[sizeClass] || !fits(pool, sizeClass, bytes)) return 'key'
    if (door.pool.isAwaited[sizeClass] || !fits(door.pool, sizeClass, bytes)) return 'door'
    return processPool.isAwaited[sizeClass] || !fits(processPool, sizeClass, bytes) ? 'process' : null
  }

  const add = ({ door, pool }: Owner, sizeClass: SizeClass, bytes: number) => {
    pool.used[sizeClass] += bytes
    door.pool.used[sizeClass] += bytes
    processPool.used[sizeClass] += bytes
  }

  const giveBack: GiveBack = (owner, sizeClass, bytes) => {
    add(owner, sizeClass, -bytes)
    if (waiting > 0) serveWaiting()
  }

  const take = (owner: Owner, sizeClass: SizeClass, bytes: number): BodyRoom => {
    add(owner, sizeClass, bytes)
    return new Room(giveBack, owner, sizeClass, bytes)
  }

  /** The largest are served first. Smaller ones keep their share of the pools in any case. */
  const serveWaiting = () => {
    for (const sizeClass of [2, 1, 0] as const) serveClass(sizeClass)
  }

  const serveClass = (sizeClass: SizeClass) => {
    const ring = rings[sizeClass]
    processPool.isAwaited[sizeClass] = false
    for (const { pool } of doors) pool.isAwaited[sizeClass] = false
    for (let hasServed = true; hasServed; ) {
      hasServed = false
      for (const owner of [...ring]) {
        const [waiter] = owner.queues[sizeClass]
        if (waiter === undefined) continue
        owner.pool.isAwaited[sizeClass] = false
        const obstacle = findObstacle(owner, sizeClass, waiter.bytes)
        if (obstacle === null) {
          leaveQueue(waiter)
          waiter.grant(take(owner, sizeClass, waiter.bytes))
          hasServed = true
        } else {
          poolOf(owner, obstacle).isAwaited[sizeClass] = true
          // No other body of this class may overtake it, or small bodies would starve large ones.
          if (obstacle === 'process') return
        }
      }
    }
  }

  const poolOf = (owner: Owner, cause: RefusalCause) =>
    cause === 'key' ? owner.pool : cause === 'door' ? owner.door.pool : processPool

  const leaveQueue = (waiter: Waiter) => {
    const { owner, sizeClass } = waiter
    const queue = owner.queues[sizeClass]
    queue.splice(queue.indexOf(waiter), 1)
    owner.waiting -= 1
    owner.door.waiting -= 1
    waiting -= 1
    const ring = rings[sizeClass]
    ring.splice(ring.indexOf(owner), 1)
    if (queue.length > 0) ring.push(owner)
    else owner.pool.isAwaited[sizeClass] = false
  }

  const refuse = (owner: Owner, cause: RefusalCause): ApiError => {
    observeRefusal?.(owner.door.name, cause)
    return cause === 'key' ? refuseKey() : refuseOthers()
  }

  /** The queue is full: the owner with the most waiting bodies loses its last one. If that is the newcomer, it is refused. */
  const makeRoomInQueue = (newcomer: Owner): boolean => {
    let longest = newcomer
    for (const ring of rings) {
      for (const owner of ring) if (owner.waiting > longest.waiting + 1) longest = owner
    }
    const last = longest.queues.flatMap(queue => queue.at(-1) ?? []).at(-1)
    if (longest === newcomer || last === undefined) return false
    leaveQueue(last)
    last.refuse(refuse(longest, 'process'))
    return true
  }

  const wait = (
    owner: Owner,
    sizeClass: SizeClass,
    bytes: number,
    cause: RefusalCause,
    signal: AbortSignal,
  ) => {
    if (owner.waiting >= limits.waitingPerKey) throw refuse(owner, cause)
    if (waiting >= limits.waiting && !makeRoomInQueue(owner)) throw refuse(owner, cause)
    return new Promise<BodyRoom>((resolve, reject) => {
      const end = () => {
        stopTimer()
        signal.removeEventListener('abort', leave)
      }
      const waiter: Waiter = {
        owner,
        sizeClass,
        bytes,
        grant: room => {
          end()
          resolve(room)
        },
        refuse: error => {
          end()
          reject(error)
        },
      }
      const give = (error: ApiError) => {
        leaveQueue(waiter)
        waiter.refuse(error)
        serveWaiting()
      }
      const stopTimer = startTimer(limits.waitMs, () =>
        give(refuse(owner, findObstacle(owner, sizeClass, bytes) ?? cause)),
      )
      const leave = () => give(new ApiError('invalid_request', { message: 'The client disconnected.' }))
      signal.addEventListener('abort', leave)
      if (owner.queues[sizeClass].push(waiter) === 1) rings[sizeClass].push(owner)
      poolOf(owner, cause).isAwaited[sizeClass] = true
      owner.waiting += 1
      owner.door.waiting += 1
      waiting += 1
    })
  }

  return Object.freeze({
    openDoor: (name: string): DoorBudget => {
      const door: Door = { name, pool: createBodyPool(limits.door), waiting: 0 }
      doors.push(door)
      const owners = new Map<string, Owner>()
      const findOwner = (id: string): Owner => {
        const known = owners.get(id)
        if (known !== undefined) return known
        if (owners.size >= keptOwners) forgetIdle(owners)
        const owner: Owner = { door, pool: createBodyPool(limits.key), queues: [[], [], []], waiting: 0 }
        owners.set(id, owner)
        return owner
      }
      return Object.freeze({
        tryTake: (id, bytes) => {
          const owner = findOwner(id)
          const sizeClass = sizeClassOf(bytes)
          return findObstacle(owner, sizeClass, bytes) === null ? take(owner, sizeClass, bytes) : null
        },
        take: async (id, bytes, signal) => {
          const owner = findOwner(id)
          const sizeClass = sizeClassOf(bytes)
          const obstacle = findObstacle(owner, sizeClass, bytes)
          if (obstacle === null) return take(owner, sizeClass, bytes)
          return await wait(owner, sizeClass, bytes, obstacle, signal)
        },
        bytesInFlight: () => door.pool.used.reduce((sum, bytes) => sum + bytes, 0),
        waiting: () => door.waiting,
      } satisfies DoorBudget)
    },
  })
}

function forgetIdle(owners: Map<string, Owner>): void {
  for (const [id, { pool, waiting }] of owners) {
    if (waiting === 0 && pool.used.every(bytes => bytes === 0)) owners.delete(id)
  }
}

function refuseKey(): ApiError {
  return new ApiError('body_bytes_exceeded', { headers: { 'retry-after': '2' } })
}

function refuseOthers(): ApiError {
  return unavailable(2, undefined, 'Too many large requests are arriving at once. Try again shortly.')
}
