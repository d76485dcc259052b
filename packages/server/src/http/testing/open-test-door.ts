// A door for in-process tests: one caller with the secret `good`, a log that is kept, and time that stands still.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { DoorBodies } from '../answer-route.ts'
import { type BodyLimits, createBodyBudget } from '../body-budget.ts'
import type { DoorServer } from '../call.ts'
import { createDoor, type DoorOptions, type RequestObservation } from '../create-door.ts'
import { createDiscardBody } from '../discard-body.ts'
import { createLog } from '../log.ts'
import { createLogAccess } from '../log-access.ts'
import type { Route } from '../route.ts'
import { createStreamTimers } from './stream-timers.ts'

/** A server door's own parts, without a server. */
export const plainDoor = {
  readClientAddress: (address: string | null) => address,
  slowFailure: async () => undefined,
  whyNotReady: () => null,
  isDraining: () => false,
  keptConnections: { enter: () => undefined, leave: () => undefined },
  isReported: () => false,
  logAccess: () => undefined,
  observe: () => undefined,
  observeCutStream: () => undefined,
  stopwatch: () => performance.now(),
  streamLimits: { stalledSeconds: 60, longestMs: 600_000 },
}

export type TestCaller = { readonly name: string }

const mebibyte = 1024 * 1024
const roomy: BodyLimits = {
  key: 48 * mebibyte,
  door: 96 * mebibyte,
  process: 128 * mebibyte,
  waitingPerKey: 16,
  waiting: 64,
  waitMs: 1000,
}

/** Room for any test, with timers that never fire. */
export function openTestBodies<Caller>(limits: Partial<BodyLimits> = {}): DoorBodies<Caller> {
  const startTimer = () => () => undefined
  const bound = { atOnce: 16, milliseconds: 1000 }
  return {
    budget: createBodyBudget({ limits: { ...roomy, ...limits }, startTimer }).openDoor('test'),
    ownerOf: () => 'caller',
    discard: createDiscardBody({ callers: bound, strangers: bound, startTimer }),
    discardedBytes: mebibyte,
    notePassed: () => undefined,
    readMs: 1000,
    startTimer,
    workerOf: () => 'caller',
    turns: { take: async () => undefined },
    fairStart: () => null,
  }
}

export function openTestDoor(
  routes: readonly Route<TestCaller>[],
  changes: Partial<DoorOptions<TestCaller>> = {},
) {
  const lines: string[] = []
  const observations: RequestObservation[] = []
  const liftedTimeouts: Request[] = []
  const { log } = createLog({
    level: 'info',
    pretty: false,
    destination: { write: line => lines.push(line) },
  })
  const server: DoorServer = {
    timeout: (request, seconds) => {
      if (seconds === 0) liftedTimeouts.push(request)
    },
    requestIP: () => ({ address: '192.0.2.7' }),
  }
  let calls = 0
  const door = createDoor<TestCaller>({
    ...plainDoor,
    name: 'gateway',
    title: 'Test door',
    description: 'A door for tests',
    publicUrl: 'https://gateway.example',
    securityScheme: { type: 'http', scheme: 'bearer' },
    authenticate: request => {
      if (request.headers.get('authorization') === 'Bearer good') return { name: 'caller' }
      throw new ApiError('invalid_api_key')
    },
    bodies: openTestBodies(),
    routes,
    log,
    logAccess: createLogAccess(log),
    observe: observation => observations.push(observation),
    newCallId: () => {
      calls += 1
      return `call-${calls}`
    },
    streamTimers: createStreamTimers().timers,
    stopwatch: () => 0,
    ...changes,
  })
  return {
    door,
    lines,
    observations,
    liftedTimeouts,
    server,
    /** Sends with the good credential unless `headers` say otherwise. */
    ask: async (method: string, path: string, init: RequestInit = {}): Promise<Response> => {
      const headers = new Headers({ authorization: 'Bearer good' })
      for (const [name, value] of new Headers(init.headers)) headers.set(name, value)
      return await door.fetch(new Request(`http://door.test${path}`, { ...init, method, headers }), server)
    },
    /** Sends text as a JSON body. */
    post: async (
      path: string,
      body: RequestInit['body'],
      headers: Record<string, string> = {},
    ): Promise<Response> =>
      await door.fetch(
        new Request(`http://door.test${path}`, {
          method: 'POST',
          body,
          headers: { authorization: 'Bearer good', 'content-type': 'application/json', ...headers },
        }),
        server,
      ),
  }
}
