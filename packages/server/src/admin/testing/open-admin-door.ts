// The admin door in-process on a real database, with the calls that its tests make again and again.
import { setImmediate } from 'node:timers/promises'
import { CallsReader } from '../../calls/calls-reader.ts'
import { CoverageReader } from '../../coverage/coverage-reader.ts'
import { openTestDirectory } from '../../directory/testing/open-test-directory.ts'
import type { DoorServer } from '../../http/call.ts'
import { createDoor } from '../../http/create-door.ts'
import { createLog } from '../../http/log.ts'
import { openTestBodies } from '../../http/testing/open-test-door.ts'
import { createStreamTimers } from '../../http/testing/stream-timers.ts'
import { nanoDollars } from '../../ledger/money.ts'
import { createMemoryLimits } from '../../limits/memory/create-memory-limits.ts'
import { createOwnerRecords } from '../../limits/owner-records.ts'
import { buildModel } from '../../limits/testing/build-parties.ts'
import { createAdminRoutes } from '../app.ts'
import { createAdminAuthenticator } from '../authenticate-admin.ts'
import type { VerifiedChain } from '../logs/verify-log.ts'

export const adminKey = 'admin-key-for-tests'

export type Reply = { readonly status: number; readonly body: unknown; readonly headers: Headers }

export async function openAdminDoor() {
  const opened = await openTestDirectory()
  const clock = () => opened.time.now
  const limits = createMemoryLimits({ clock })
  const verdicts = new Map<string, VerifiedChain>()
  const liftedTimeouts: string[] = []
  const lines: string[] = []
  const { log } = createLog({
    level: 'info',
    pretty: false,
    destination: { write: line => lines.push(line) },
  })
  const server: DoorServer = {
    timeout: (request, seconds) => {
      if (seconds === 0) liftedTimeouts.push(new URL(request.url).pathname)
    },
    requestIP: () => ({ address: '192.0.2.7' }),
  }
  const door = createDoor({
    name: 'admin',
    title: 'Test door',
    description: 'A door for tests',
    publicUrl: 'https://admin.example',
    securityScheme: { type: 'http', scheme: 'bearer' },
    bodies: openTestBodies(),
    routes: createAdminRoutes({
      directory: opened.directory,
      records: createOwnerRecords({ directory: opened.directory, limits, clock }),
      clock,
      catalog: {
        catalog: { models: [buildModel()], families: [] },
        reloadCatalog: () => Promise.reject(new Error('The test has no file of models.')),
      },
      calls: new CallsReader({ read: opened.store.read, directory: opened.directory }),
      audit: opened.store.read,
      coverage: new CoverageReader({
        read: opened.store.read,
        digestTexts: () => null,
        clock,
        pause: setImmediate,
      }),
      logs: {
        listBoards: opened.store.read.listBoards,
        // Its own tests read real entries; here it has none.
        entries: {
          readPage: async () => ({ entries: [], nextBefore: null }),
          findEntry: async () => null,
          readFeed: async function* () {},
        },
        verifyTeam: async teamId => {
          const verdict = verdicts.get(teamId)
          if (verdict === undefined) throw new Error(`No verdict for ${teamId}.`)
          return verdict
        },
      },
    }),
    authenticate: createAdminAuthenticator({ adminKey }),
    slowFailure: async () => undefined,
    isReady: () => true,
    log,
    newCallId: () => 'call-1',
    clock,
    streamLimits: { stalledSeconds: 60, longestMs: 600_000 },
    streamTimers: createStreamTimers().timers,
  })
  const send = async (request: Request): Promise<Reply> => {
    const response = await door.fetch(request, server)
    return { status: response.status, body: await response.json(), headers: response.headers }
  }
  const authorization = `Bearer ${adminKey}`
  return {
    ...opened,
    limits,
    verdicts,
    liftedTimeouts,
    lines,
    openapi: door.openapi,
    send,
    get: (path: string) => send(new Request(`http://door.test${path}`, { headers: { authorization } })),
    post: (path: string, body: unknown) =>
      send(
        new Request(`http://door.test${path}`, {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { authorization, 'content-type': 'application/json' },
        }),
      ),
    /** Charges a finished call of this key on `model-1`. */
    spend: (keyHash: string, nano: number) => {
      const key = opened.directory.findKey(keyHash)
      const team = opened.directory.findTeam(key?.teamId ?? '')
      if (key === undefined || team === undefined) throw new Error('no such key')
      limits.load([
        {
          owner: { kind: 'team', teamId: team.teamId },
          periodStart: team.budgetAnchor,
          spent: nanoDollars(nano),
        },
        {
          owner: { kind: 'key', teamId: team.teamId, keyHash },
          periodStart: key.budgetAnchor,
          spent: nanoDollars(nano),
        },
        {
          owner: { kind: 'key_model', teamId: team.teamId, keyHash, modelId: 'model-1' },
          periodStart: key.budgetAnchor,
          spent: nanoDollars(nano),
        },
      ])
    },
  }
}
