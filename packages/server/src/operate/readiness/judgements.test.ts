// Each check finds its fault, suggests a fix, and accepts a correct setup.
import { afterAll, describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PriceTable } from '../../ledger/price.ts'
import { buildModel } from '../../limits/testing/build-parties.ts'
import type { PostgresFacts } from '../../store/postgres/inspect-server.ts'
import { type AddressProbes, checkAddress } from './check-addresses.ts'
import { checkBackups } from './check-backups.ts'
import { checkCatalog } from './check-catalog.ts'
import { checkDirectUrl, checkPostgres, checkSqlite } from './check-database.ts'
import {
  checkClock,
  checkDescriptors,
  checkDisk,
  checkPorts,
  readClock,
  timeFlushes,
} from './check-machine.ts'
import { checkProcesses, checkSecrets, judgeWebhookSecrets } from './check-secrets.ts'
import { judgeHealth, judgeTrials } from './check-upstreams.ts'
import { type Found, worstOf } from './finding.ts'

const root = mkdtempSync(join(tmpdir(), 'fairgate-readiness-'))
afterAll(() => rmSync(root, { recursive: true }))

const now = Date.parse('2026-11-21T12:00:00Z')
const dayMs = 86_400_000

/** The worst finding, which must have a fix unless all is well. */
function worst(found: Found): string {
  const { state, text, fix } = worstOf([found].flat())
  expect(fix === null).toBe(state === 'ok')
  return `${state}: ${text}`
}

describe('database', () => {
  const good: Omit<PostgresFacts, 'clock' | 'agreed'> = {
    version: '15.8',
    versionNumber: 150_008,
    fsync: 'on',
    fullPageWrites: 'on',
    synchronousCommit: 'on',
    maxConnections: 100,
    reservedConnections: 3,
    usedConnections: 20,
    isStandby: false,
    locks: 2,
    identity: 'a 1',
    isPooled: false,
  }
  const judge = (changes: Partial<typeof good>, isServing = true, hasDirectUrl = false) =>
    worst(checkPostgres({ ...good, ...changes }, { isServing, hasDirectUrl }))

  test.each([
    [{}, 'ok: PostgreSQL 15.8'],
    [{ fsync: 'off' }, 'fault: fsync is off'],
    [{ fullPageWrites: 'off' }, 'fault: full_page_writes is off'],
    [{ synchronousCommit: 'off' }, 'fault: synchronous_commit is off'],
    [{ synchronousCommit: 'local' }, 'ok: PostgreSQL'],
    [{ usedConnections: 90 }, 'warning: 7 of 100 connections are left'],
    [{ version: '12.1', versionNumber: 120_001 }, 'warning: PostgreSQL 12.1 no longer gets fixes'],
    [{ isStandby: true }, 'fault: the database server is a standby'],
    [{ isPooled: true }, 'fault: DATABASE_URL leads through a pooler'],
    [{ locks: 0 }, 'warning: no process holds the database lock'],
  ])('PostgreSQL with %p', (changes, text) => {
    expect(judge(changes)).toStartWith(text)
  })

  test('a pooler is fine if the direct address is known', () => {
    expect(judge({ isPooled: true }, true, true)).toStartWith('ok')
    expect(worst(checkDirectUrl(good, { identity: 'a 1', isPooled: false }))).toStartWith('ok')
    expect(worst(checkDirectUrl(good, { identity: 'b 1', isPooled: false }))).toContain('different databases')
    expect(worst(checkDirectUrl(good, { identity: 'a 1', isPooled: true }))).toContain('a pooler as well')
  })

  test('without a server, another process on the database is a warning', () => {
    expect(judge({ locks: 0 }, false)).toStartWith('ok')
    expect(judge({ locks: 1 }, false)).toBe('warning: 1 process already uses the database')
  })

  test('SQLite', () => {
    const facts = { path: '/data/fairgate.db', exists: true, journalMode: 'wal', isLocked: false }
    expect(worst(checkSqlite(facts, false))).toStartWith('ok')
    expect(worst(checkSqlite({ ...facts, exists: false }, false))).toStartWith('ok')
    expect(worst(checkSqlite({ ...facts, exists: false }, true))).toContain('is missing')
    expect(worst(checkSqlite({ ...facts, journalMode: 'delete' }, false))).toContain('journal')
    expect(worst(checkSqlite({ ...facts, isLocked: true }, false))).toContain('already uses the data folder')
  })
})

describe('catalog', () => {
  const rates = (rate: number): PriceTable => ({
    tiers: [{ aboveInputTokens: 0, rates: { inputText: rate } }],
  })
  const judge = (
    model: { price?: PriceTable; retiresOn?: string },
    inForce: Parameters<typeof checkCatalog>[0]['inForce'] = null,
  ) => {
    const models = [buildModel({ id: 'm', price: rates(1), retiresOn: null, ...model })]
    return worst(
      checkCatalog({ load: () => ({ models, families: [], find: () => undefined }), inForce, now }),
    )
  }
  const same = { hash: () => 'a', hashOfFile: () => 'a', differing: () => 0 }

  test('prices and retirements', () => {
    expect(judge({})).toStartWith('ok: 1 models')
    expect(judge({ price: rates(0) })).toStartWith('warning: m costs nothing')
    expect(judge({ retiresOn: '2026-12-01' })).toBe(
      'warning: the upstream retires m on 2026-12-01, in 10 days',
    )
    expect(judge({ retiresOn: '2026-11-01' })).toStartWith(
      'warning: the upstream has not guaranteed m since 2026-11-01',
    )
    expect(judge({ retiresOn: '2027-11-01' })).toStartWith('ok')
  })

  test('the active catalog', () => {
    expect(judge({}, same)).toStartWith('ok')
    expect(judge({}, { ...same, hashOfFile: () => 'b' })).toStartWith(
      'warning: the catalog file was changed after it was loaded',
    )
    expect(judge({}, { ...same, differing: () => 2 })).toStartWith(
      'fault: processes have different catalog files',
    )
  })

  test('a file that cannot be read', () => {
    const load = () => {
      throw new Error('models.yaml: m has no price for output')
    }
    expect(worst(checkCatalog({ load, inForce: null, now }))).toBe(
      'fault: models.yaml: m has no price for output',
    )
  })
})

describe('clock', () => {
  const against = (aheadMs: number, errorMs = 5) => worst(checkClock([{ source: 'x', aheadMs, errorMs }]))

  test.each([
    [3, 'ok: this clock is within 5 ms of that of x'],
    [-300, 'ok: this clock is 300 ms ahead of that of x'],
    [900, 'warning: this clock is 900 ms behind that of x'],
    [-60_000, 'fault: this clock is 60000 ms ahead of'],
  ])('%p ms', (aheadMs, text) => {
    expect(against(aheadMs)).toStartWith(text)
  })

  test('a failed reading is no fault', () => {
    expect(against(1400, 1000)).toStartWith('ok')
    expect(checkClock([])).toMatchObject({ state: 'ok' })
  })

  test('a Date header counts as the middle of its second', () => {
    const asked = { before: 10_400, said: 10_000, after: 10_600 }
    expect(readClock('x', asked, 1000)).toEqual({ source: 'x', aheadMs: 0, errorMs: 600 })
  })
})

describe('disk', () => {
  const facts = {
    folder: '/data',
    freeBytes: 5e10,
    sizeBytes: 1e11,
    warnBelowBytes: 1e9,
    flushMs: [0.2, 0.3, 0.4],
    hasDatabase: true,
  }
  const judge = (changes: Partial<Parameters<typeof checkDisk>[0]>) =>
    worst(checkDisk({ ...facts, ...changes }))

  test('free space', () => {
    expect(judge({})).toStartWith('ok')
    expect(judge({ freeBytes: 5e8 })).toBe(
      'warning: 477 MiB of 93 GiB free for /data, less than warn_free_mebibytes',
    )
    expect(judge({ freeBytes: 1e6 })).toStartWith('fault: 1 MiB of')
  })

  test('flushes', () => {
    expect(judge({ flushMs: [40, 50, 60] })).toBe(
      'warning: a flush to disk takes 50 ms at the median, 60.0 ms at most',
    )
    expect(judge({ flushMs: [400] })).toStartWith('fault')
    expect(judge({ flushMs: [400], hasDatabase: false })).toStartWith('ok')
    expect(judge({ flushMs: 'refused' })).toStartWith('fault: /data is not writable')
    expect(judge({ flushMs: 'absent' })).toStartWith('ok')
  })

  test('leave no file behind', async () => {
    const folder = join(root, 'flushes')
    mkdirSync(folder)
    expect(await timeFlushes(folder, () => performance.now())).toHaveLength(10)
    expect(readdirSync(folder)).toEqual([])
    expect(await timeFlushes(join(folder, 'not', 'yet'), () => 0)).toBe('absent')
    const file = join(folder, 'file')
    writeFileSync(file, '')
    expect(await timeFlushes(file, () => 0)).toBe('refused')
  })
})

describe('addresses', () => {
  const probes: AddressProbes = {
    resolve: async () => ['192.0.2.1'],
    readCertificate: async () => ({ validTo: now + 60 * dayMs, problem: null }),
    askDoor: async () => 'gateway',
  }
  const failing = (message: string) => () => Promise.reject(new Error(message))
  const judge = async (changes: Partial<AddressProbes>, url = 'https://gate.example', isServing = true) =>
    worst(
      await checkAddress(
        { door: 'gateway', url, setting: 'FAIRGATE_GATEWAY_URL' },
        { ...probes, ...changes },
        { now, isServing },
      ),
    )

  test.each<[string, Partial<AddressProbes>, string]>([
    ['all is well', {}, 'ok'],
    [
      'no DNS entry',
      { resolve: failing('ENOTFOUND') },
      'fault: gateway: the name gate.example has no address',
    ],
    [
      'an expired certificate',
      { readCertificate: async () => ({ validTo: now - dayMs, problem: null }) },
      'fault: gateway: the certificate of gate.example expired on 2026-11-20',
    ],
    [
      'a certificate that expires soon',
      { readCertificate: async () => ({ validTo: now + 5 * dayMs, problem: null }) },
      'warning: gateway: the certificate of gate.example expires on 2026-11-26, in 5 days',
    ],
    [
      'an untrusted certificate',
      { readCertificate: async () => ({ validTo: now + 60 * dayMs, problem: 'SELF_SIGNED' }) },
      'fault: gateway: the certificate of gate.example is not trusted (SELF_SIGNED)',
    ],
    [
      'no TLS',
      { readCertificate: failing('refused') },
      'fault: gateway: no TLS at gate.example:443 (refused)',
    ],
    [
      'another door',
      { askDoor: async () => 'logbook' },
      'fault: gateway: the door "logbook" answers at https://gate.example',
    ],
    [
      'another program',
      { askDoor: async () => null },
      'fault: gateway: something other than Fairgate answers at https://gate.example',
    ],
    ['nothing', { askDoor: failing('refused') }, 'fault: gateway: nothing answers'],
  ])('%s', async (_, changes, text) => {
    expect(await judge(changes)).toStartWith(text)
  })

  test('plain HTTP, and an address of this machine only', async () => {
    expect(await judge({}, 'http://gate.example')).toStartWith(
      'warning: gateway: http://gate.example is plain',
    )
    expect(await judge({}, 'http://127.0.0.1:4000', false)).toContain('can only be reached from this machine')
  })
})

test('secrets: who can read and change them', async () => {
  const path = join(root, 'admin-key')
  writeFileSync(path, 'x', { mode: 0o600 })
  const place = { path, holds: 'the admin key', isFolder: false, isMadeAtStart: true }
  expect(worst(await checkSecrets([place]))).toStartWith('ok')
  chmodSync(path, 0o644)
  expect(worst(await checkSecrets([place]))).toStartWith('fault: every user on this machine can access')
  chmodSync(path, 0o660)
  expect(worst(await checkSecrets([place]))).toStartWith('warning: the group')
  const missing = { ...place, path: join(root, 'nothing') }
  expect(worst(await checkSecrets([missing]))).toStartWith('ok')
  expect(worst(await checkSecrets([{ ...missing, isMadeAtStart: false }]))).toStartWith('fault')
})

test('webhook secrets that another join key has encrypted', () => {
  expect(judgeWebhookSecrets(0)).toEqual([])
  expect(worst(judgeWebhookSecrets(1))).toStartWith('fault: 1 webhook is off')
  expect(worst(judgeWebhookSecrets(2))).toStartWith('fault: 2 webhooks are off')
})

test('descriptors: use, limit, and waiting connections', () => {
  const facts = { limit: 65536, open: 40, reserve: 2048, isHolding: false }
  expect(checkDescriptors(facts, true)).toMatchObject({
    state: 'ok',
    text: '40 of 65536 descriptors in use; new connections wait from 63488 on',
  })
  expect(checkDescriptors({ ...facts, limit: 1024 }, true)).toMatchObject({ state: 'warning' })
  expect(checkDescriptors({ ...facts, reserve: null }, true)).toMatchObject({ state: 'warning' })
  expect(checkDescriptors({ ...facts, open: 64000, isHolding: true }, true)).toMatchObject({
    state: 'fault',
    fix: expect.stringContaining('LimitNOFILE'),
  })
  expect(checkDescriptors({ ...facts, reserve: null }, false)).toMatchObject({ state: 'ok' })
  expect(checkDescriptors({ ...facts, limit: null, open: null }, true)).toMatchObject({ state: 'ok' })
})

test('ports: free, taken, or any', async () => {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const place = { name: 'gateway', host: '127.0.0.1', port }
  expect(worst(await checkPorts([place], false))).toBe(
    `fault: gateway 127.0.0.1:${port} cannot be opened (EADDRINUSE)`,
  )
  expect(worst(await checkPorts([place], true))).toBe(`ok: open: gateway 127.0.0.1:${port}`)
  await new Promise(resolve => server.close(resolve))
  expect(worst(await checkPorts([place], false))).toStartWith('ok')
  expect(worst(await checkPorts([{ ...place, port: 0 }], false))).toStartWith('warning')
})

test('processes: the join key matches the database', () => {
  const judge = (here: string | null, inDatabase: string | null, admin = 'same') =>
    worst(
      checkProcesses({
        joinKey: { here, inDatabase },
        adminKey: { here: 'same', inDatabase: admin },
        joinKeyPlace: '/data/join-key',
        processes: 2,
      }),
    )
  expect(judge('a', 'a')).toStartWith('ok')
  expect(judge('a', null)).toStartWith('ok')
  expect(judge('a', 'b')).toStartWith('fault: the join key of /data/join-key is not the one')
  expect(judge(null, 'b')).toStartWith('fault: the database has a join key')
  expect(judge('a', 'a', 'other')).toStartWith('warning: the admin key differs')
})

test('backups: the newest one counts', async () => {
  const folder = join(root, 'backups')
  expect(worst(await checkBackups(folder, now))).toStartWith('fault')
  mkdirSync(join(folder, 'old'), { recursive: true })
  expect(worst(await checkBackups(folder, now))).toBe(`warning: there is no backup in ${folder}`)
  const write = (name: string, hours: number) => {
    mkdirSync(join(folder, name), { recursive: true })
    const created_at = new Date(now - hours * 3_600_000).toISOString()
    writeFileSync(join(folder, name, 'manifest.json'), JSON.stringify({ created_at }))
  }
  write('old', 72)
  expect(worst(await checkBackups(folder, now))).toBe(`warning: 1 in ${folder}, the newest 72 hours old`)
  write('new', 2)
  expect(worst(await checkBackups(folder, now))).toBe(`ok: 2 in ${folder}, the newest 2 hours old`)
})

describe('upstreams', () => {
  const key = (fault: 'refused' | null) => ({
    id: 'a',
    key: '…abcd',
    fault,
    restMs: fault === null ? null : 1,
  })
  test('the state of the keys', () => {
    const judge = (...keys: ReturnType<typeof key>[]) =>
      worst(judgeHealth([{ upstream: 'vendor', lastOutcome: null, keys }], false))
    expect(judge(key(null))).toBe('ok: vendor: 1 key, no calls yet')
    expect(judge(key(null), key('refused'))).toBe(
      'warning: vendor: some keys are resting: key …abcd (refused)',
    )
    expect(judge(key('refused'))).toStartWith('fault: vendor: all keys are resting')
    expect(worst(judgeHealth([], true))).toStartWith('warning: no VENDOR_API_KEY is set')
  })

  test.each([
    [null, 'ok: vendor, key …abcd: answered a call to m'],
    [{ keyFault: 'refused', message: 'no' } as const, 'fault: vendor, key …abcd: the provider rejects it'],
    [{ keyFault: 'exhausted', message: 'no' } as const, 'fault'],
    [{ keyFault: 'busy', message: 'no' } as const, 'warning'],
    [{ keyFault: null, message: 'no' } as const, 'fault'],
  ])('a call that ends with %p', (failure, text) => {
    const trial = { upstream: 'vendor', key: '…abcd', model: 'm', failure }
    expect(worst(judgeTrials([trial], false))).toStartWith(text)
    expect(worst(judgeTrials([{ ...trial, model: null }], false))).toStartWith('warning')
  })
})
