// What every engine of the store must do, statement by statement; each engine's own test calls it.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { TeamsTable } from '../schema/directory.ts'
import type { AppendOutcome } from '../statements/append-entries.ts'
import type { AuditRecord } from '../statements/audit.ts'
import type { ChargeRow, TotalRow } from '../statements/charges.ts'
import { emptyChain } from '../statements/entry-chain.ts'
import type { LedgerBatch } from '../statements/ledger-batch.ts'
import type { Store } from '../store.ts'
import { buildAuditEntry, buildKeyRow, buildLogTokenRow, buildTeamRow } from './build-directory-rows.ts'
import { buildEntryToAppend } from './build-entry-to-append.ts'
import { buildCharge, buildOpenStream, emptyBatch } from './build-ledger-rows.ts'
import { describeIdempotentCalls } from './describe-idempotent-calls.ts'
import { failureOf } from './failure-of.ts'
import { describeVideoTasks } from './video-task-suite.ts'

/** `dispose` closes the store and removes what it has stored. */
export type OpenedStore = { readonly store: Store; readonly dispose: () => Promise<void> }

/** `open` gives an empty store each time. */
export function describeStore(name: string, open: () => Promise<OpenedStore>): void {
  describe(name, () => {
    let opened: OpenedStore
    beforeEach(async () => {
      opened = await open()
    })
    afterEach(() => opened.dispose())

    const current = () => opened.store
    describe('charges and totals', () => describeCharges(current))
    describe('open streams', () => describeStreams(current))
    describe('video tasks', () => describeVideoTasks(current))
    describe('idempotent calls', () => describeIdempotentCalls(current))
    describe('teams', () => describeTeams(current))
    describe('gateway keys', () => describeKeys(current))
    describe('log tokens', () => describeLogTokens(current))
    describe('audit', () => describeAudit(current))
    describe('boards', () => describeBoards(current))
    describe('entries', () => describeEntries(current))
    describe('transactions', () => describeTransactions(current))
  })
}

type Current = () => Store

/** As many as PostgreSQL has connections for: more would wait for one, and not for ever. */
const atOnce = 10

const commit = (store: Store, batch: Partial<LedgerBatch>) =>
  store.write.commitLedger({ ...emptyBatch, ...batch })
const charge = (store: Store, ...charges: readonly ChargeRow[]) => commit(store, { charges })
const byOwner = (totals: readonly TotalRow[]) =>
  Object.fromEntries(
    totals.map(total => [total.owner, [total.period_start, total.spent_nano, total.lifetime_nano]]),
  )
const readTotals = async (store: Store) => byOwner(await store.read.readTotals())

function describeCharges(current: Current): void {
  test('an empty ledger has no totals and no charges', async () => {
    expect(await current().read.readTotals()).toEqual([])
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 0, costNano: 0 })
  })

  test('a charge moves the totals of its team, its key, and its key with its model', async () => {
    await charge(current(), buildCharge('a', { team_period: 100, key_period: 200 }))
    expect(await current().read.readTotals()).toHaveLength(3)
    expect(await readTotals(current())).toEqual({
      'team:team-1': [100, 10, 10],
      'key:key-1': [200, 10, 10],
      'key_model:key-1:model-1': [200, 10, 10],
    })
  })

  test('charges of one batch add up per owner', async () => {
    await charge(
      current(),
      buildCharge('a', { cost_nano: 1 }),
      buildCharge('b', { cost_nano: 2, model_id: 'model-2' }),
      buildCharge('c', { cost_nano: 4, key_hash: 'key-2' }),
      buildCharge('d', { cost_nano: 8, key_hash: 'key-3', team_id: 'team-2' }),
    )
    expect(await readTotals(current())).toEqual({
      'team:team-1': [1000, 7, 7],
      'team:team-2': [1000, 8, 8],
      'key:key-1': [1000, 3, 3],
      'key:key-2': [1000, 4, 4],
      'key:key-3': [1000, 8, 8],
      'key_model:key-1:model-1': [1000, 1, 1],
      'key_model:key-1:model-2': [1000, 2, 2],
      'key_model:key-2:model-1': [1000, 4, 4],
      'key_model:key-3:model-1': [1000, 8, 8],
    })
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 3, costNano: 7 })
    expect(await current().read.sumCharges({ teamId: 'team-2' })).toEqual({ count: 1, costNano: 8 })
  })

  test('a call is charged once, however often its charge is written', async () => {
    const row = buildCharge('a')
    await charge(current(), row)
    await charge(current(), row)
    await charge(current(), { ...row, cost_nano: 999 }, buildCharge('b', { cost_nano: 1 }))
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 2, costNano: 11 })
    expect(await readTotals(current())).toMatchObject({ 'team:team-1': [1000, 11, 11] })
  })

  // Fails today: the row is inserted once, but both copies move the totals.
  test('a call that stands twice in one batch is charged once', async () => {
    await charge(current(), buildCharge('a'), buildCharge('a'))
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 1, costNano: 10 })
    expect(await readTotals(current())).toMatchObject({ 'team:team-1': [1000, 10, 10] })
  })

  test('two teams may have a call of the same id', async () => {
    await charge(current(), buildCharge('a'), buildCharge('a', { team_id: 'team-2', key_hash: 'key-2' }))
    expect(await readTotals(current())).toMatchObject({
      'team:team-1': [1000, 10, 10],
      'team:team-2': [1000, 10, 10],
    })
  })

  test('a new period starts from nothing, and the lifetime total goes on', async () => {
    await charge(current(), buildCharge('a'))
    await charge(current(), buildCharge('b', { team_period: 5000, cost_nano: 3 }))
    expect(await readTotals(current())).toEqual({
      'team:team-1': [5000, 3, 13],
      'key:key-1': [1000, 13, 13],
      'key_model:key-1:model-1': [1000, 13, 13],
    })
  })

  test('a late charge of a past period moves the lifetime total only', async () => {
    const late = buildCharge('b', { team_period: 1000, key_period: 1000, cost_nano: 3 })
    await charge(current(), buildCharge('a', { team_period: 5000, key_period: 5000 }))
    await charge(current(), late)
    expect(await readTotals(current())).toEqual({
      'team:team-1': [5000, 10, 13],
      'key:key-1': [5000, 10, 13],
      'key_model:key-1:model-1': [5000, 10, 13],
    })
  })

  test('charges of two periods in one batch count each in its own', async () => {
    await charge(
      current(),
      buildCharge('a', { team_period: 5000, cost_nano: 1 }),
      buildCharge('b', { team_period: 1000, cost_nano: 2 }),
      buildCharge('c', { team_period: 5000, cost_nano: 4 }),
    )
    expect(await readTotals(current())).toMatchObject({ 'team:team-1': [5000, 5, 7] })
  })

  test('a charge without cost is kept', async () => {
    await charge(current(), buildCharge('a', { cost_nano: 0, outcome: 'failed', flag: 'usage_absent' }))
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 1, costNano: 0 })
  })

  test('amounts up to the largest stay exact', async () => {
    const largest = 9_007_198_999_999_999
    await charge(current(), buildCharge('a', { cost_nano: largest - 1 }), buildCharge('b', { cost_nano: 1 }))
    expect(await readTotals(current())).toMatchObject({ 'team:team-1': [1000, largest, largest] })
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 2, costNano: largest })
  })

  test('a batch as large as the writer makes them', async () => {
    const rows = Array.from({ length: 2000 }, (_, number) => buildCharge(`call-${number}`, { cost_nano: 1 }))
    await charge(current(), ...rows)
    await charge(current(), ...rows)
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 2000, costNano: 2000 })
    expect(await readTotals(current())).toMatchObject({ 'team:team-1': [1000, 2000, 2000] })
  })

  test('batches that are written at the same time lose nothing', async () => {
    const names = Array.from({ length: atOnce }, (_, number) => `call-${number}`)
    await Promise.all(
      names.map((name, number) =>
        charge(current(), buildCharge(name, { key_hash: `key-${number % 3}` }), buildCharge(`${name}-b`)),
      ),
    )
    expect(await readTotals(current())).toMatchObject({ 'team:team-1': [1000, 200, 200] })
  })

  test('an empty batch is no mistake', async () => {
    await commit(current(), {})
    expect(await current().read.readTotals()).toEqual([])
  })
}

function describeStreams(current: Current): void {
  const chargeInterrupted = () => current().write.chargeInterruptedStreams({ now: 9000 })

  test('a stream that a crash left open is charged at its last progress, once', async () => {
    await commit(current(), { opened: [buildOpenStream('a', { team_period: 100, key_period: 200 })] })
    const progress = { team_id: 'team-1', call_id: 'a', units: '{"output_text":7}', progress_at: 2600 }
    await commit(current(), { progress: [{ ...progress, cost_nano: 5 }] })
    await commit(current(), { progress: [{ ...progress, cost_nano: 7 }] })
    expect(await chargeInterrupted()).toEqual({ charged: 1 })
    expect(await chargeInterrupted()).toEqual({ charged: 0 })
    expect(await readTotals(current())).toEqual({
      'team:team-1': [100, 7, 7],
      'key:key-1': [200, 7, 7],
      'key_model:key-1:model-1': [200, 7, 7],
    })
  })

  test('one that had reported nothing is charged at nothing', async () => {
    await commit(current(), { opened: [buildOpenStream('a')] })
    expect(await chargeInterrupted()).toEqual({ charged: 1 })
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 1, costNano: 0 })
  })

  test('one that was charged is not open any more, also within one batch', async () => {
    await commit(current(), { opened: [buildOpenStream('a')] })
    await charge(current(), buildCharge('a', { closes_stream: true }))
    await commit(current(), {
      opened: [buildOpenStream('b')],
      charges: [buildCharge('b', { closes_stream: true })],
    })
    expect(await chargeInterrupted()).toEqual({ charged: 0 })
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 2, costNano: 20 })
  })

  test('one that was dropped is not charged', async () => {
    await commit(current(), { opened: [buildOpenStream('a'), buildOpenStream('b')] })
    await commit(current(), { dropped: [{ team_id: 'team-1', call_id: 'a' }] })
    expect(await chargeInterrupted()).toEqual({ charged: 1 })
  })

  test('opening twice keeps the first row with its progress', async () => {
    await commit(current(), { opened: [buildOpenStream('a')] })
    const progress = { team_id: 'team-1', call_id: 'a', units: '{}', cost_nano: 5, progress_at: 2600 }
    await commit(current(), { progress: [progress] })
    await commit(current(), { opened: [buildOpenStream('a')] })
    expect(await chargeInterrupted()).toEqual({ charged: 1 })
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 1, costNano: 5 })
  })

  test('closing, dropping and progress touch only the stream of that team', async () => {
    const ofOther = { team_id: 'team-2', call_id: 'a' }
    await commit(current(), { opened: [buildOpenStream('a'), buildOpenStream('a', { team_id: 'team-2' })] })
    await commit(current(), {
      dropped: [ofOther],
      progress: [{ ...ofOther, units: '{}', cost_nano: 99, progress_at: 1 }],
    })
    expect(await chargeInterrupted()).toEqual({ charged: 1 })
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 1, costNano: 0 })
    expect(await current().read.sumCharges({ teamId: 'team-2' })).toEqual({ count: 0, costNano: 0 })
  })

  test('progress of a stream that is not open is no mistake', async () => {
    const progress = { team_id: 'team-1', call_id: 'gone', units: '{}', cost_nano: 5, progress_at: 2600 }
    await commit(current(), { progress: [progress], dropped: [{ team_id: 'team-1', call_id: 'gone' }] })
    expect(await chargeInterrupted()).toEqual({ charged: 0 })
  })

  test('a charge whose stream stayed open is not doubled by the restart', async () => {
    await commit(current(), { opened: [buildOpenStream('a', { cost_nano: 3 })] })
    await charge(current(), buildCharge('a', { closes_stream: false }))
    await chargeInterrupted()
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 1, costNano: 10 })
    expect(await readTotals(current())).toMatchObject({ 'team:team-1': [1000, 10, 10] })
  })
}

const insertTeam = (store: Store, teamId: string, changes: Partial<TeamsTable> = {}) =>
  store.write.insertTeam({
    team: buildTeamRow(teamId, changes),
    audit: buildAuditEntry('team.new', { team_id: teamId, target: teamId }),
  })
const readAudit = (store: Store): Promise<AuditRecord[]> =>
  store.read.listAudit({ limit: 1000, beforeId: null, teamId: null })
const actionsOf = (rows: readonly AuditRecord[]) => rows.map(({ action }) => action)

function describeTeams(current: Current): void {
  test('a team is read back as it was written, every column of it', async () => {
    const full = buildTeamRow('team-2', {
      alias: 'Zwei ✓ 日本',
      models: '["model-1"]',
      blocked: 1,
      max_budget_nano: 9_007_198_000_000_000,
      budget_duration: '1d',
      budget_anchor: 1_795_000_000_000,
      rpm_limit: 0,
      tpm_limit: Number.MAX_SAFE_INTEGER,
      metadata: '{"a":"\\u0000"}',
      informational: '{"organization_id":"o"}',
      created_at: 2000,
      updated_at: 3000,
      created_by: 'someone',
      updated_by: 'another',
    })
    const audit = buildAuditEntry('team.new', { team_id: 'team-2', target: 'team-2' })
    await current().write.insertTeam({ team: full, audit })
    await insertTeam(current(), 'team-1')
    expect(await current().read.readTeams()).toEqual([buildTeamRow('team-1'), full])
  })

  test('teams come in the order of their creation', async () => {
    for (const [teamId, created_at] of [
      ['c', 3],
      ['b', 1],
      ['a', 3],
    ] as const)
      await insertTeam(current(), teamId, { created_at })
    expect((await current().read.readTeams()).map(({ team_id }) => team_id)).toEqual(['b', 'a', 'c'])
  })

  test('a new team has an open board', async () => {
    await insertTeam(current(), 'team-1')
    expect(await current().read.readBoard({ teamId: 'team-1' })).toEqual({
      teamId: 'team-1',
      locked: false,
      lockAt: null,
      headSeq: 0,
      headChain: emptyChain,
      updatedAt: 1000,
    })
  })

  test('an update changes every column of that team alone', async () => {
    await insertTeam(current(), 'team-1')
    await insertTeam(current(), 'team-2')
    const changed = buildTeamRow('team-1', { alias: 'new', blocked: 0, rpm_limit: 5, updated_at: 2000 })
    await current().write.updateTeam({ team: changed, audit: buildAuditEntry('team.update') })
    expect(await current().read.readTeams()).toEqual([changed, buildTeamRow('team-2')])
    expect(actionsOf(await readAudit(current()))).toEqual(['team.update', 'team.new', 'team.new'])
  })

  test('a taken team_id is refused and leaves neither audit nor change', async () => {
    await insertTeam(current(), 'team-1')
    await failureOf(insertTeam(current(), 'team-1', { alias: 'other' }))
    expect(await current().read.readTeams()).toEqual([buildTeamRow('team-1')])
    expect(await readAudit(current())).toHaveLength(1)
  })
}

function describeKeys(current: Current): void {
  const insertKey = (keyHash: string, changes: Parameters<typeof buildKeyRow>[1] = {}) =>
    current().write.insertKey({
      key: buildKeyRow(keyHash, changes),
      audit: buildAuditEntry('key.generate', { target: keyHash }),
    })
  beforeEach(() => insertTeam(current(), 'team-1'))

  test('a key is read back as it was written, every column of it', async () => {
    const changes = {
      key_name: 'sk-...wxyz',
      alias: 'laptop',
      user_id: 'someone',
      aliases: '{"fast":"model-1"}',
      model_max_budget: '{"model-1":5000000000}',
      max_parallel_requests: 1_000_000,
      expires_at: 1_795_000_000_000,
      allowed_routes: '["/v1/models"]',
      blocked: 0,
      max_budget_nano: 1,
    }
    await insertKey('key-1', changes)
    expect(await current().read.readKeys()).toEqual([buildKeyRow('key-1', changes)])
  })

  test('keys come in the order of their creation', async () => {
    await insertKey('c', { created_at: 3 })
    await insertKey('b', { created_at: 1 })
    await insertKey('a', { created_at: 3 })
    expect((await current().read.readKeys()).map(({ key_hash }) => key_hash)).toEqual(['b', 'a', 'c'])
  })

  test('a key of no team is refused', async () => {
    await failureOf(insertKey('key-1', { team_id: 'nobody' }))
    expect(await current().read.readKeys()).toEqual([])
    expect(actionsOf(await readAudit(current()))).toEqual(['team.new'])
  })

  test('an update changes that key alone', async () => {
    await insertKey('key-1')
    await insertKey('key-2')
    const changed = buildKeyRow('key-1', { alias: 'new', expires_at: 5, max_parallel_requests: 3 })
    await current().write.updateKey({ key: changed, audit: buildAuditEntry('key.update') })
    expect(await current().read.readKeys()).toEqual([changed, buildKeyRow('key-2')])
  })

  test('deleting takes the named keys, audits each in order, and keeps their charges', async () => {
    for (const keyHash of ['key-1', 'key-2', 'key-3']) await insertKey(keyHash)
    await charge(current(), buildCharge('a'))
    await current().write.deleteKeys({
      keyHashes: ['key-1', 'key-3'],
      audit: ['key-1', 'key-3'].map(target => buildAuditEntry('key.delete', { target })),
    })
    expect((await current().read.readKeys()).map(({ key_hash }) => key_hash)).toEqual(['key-2'])
    const [last, first] = await readAudit(current())
    expect([first?.target, last?.target]).toEqual(['key-1', 'key-3'])
    expect(await readTotals(current())).toMatchObject({ 'key:key-1': [1000, 10, 10] })
  })

  test('a thousand keys go in one call', async () => {
    const keyHashes = Array.from({ length: 1000 }, (_, number) => `key-${number}`)
    // Some of them: a thousand commits would take a slow disk longer than the test may last.
    for (const keyHash of keyHashes.filter((_, number) => number % 37 === 0)) await insertKey(keyHash)
    const audit = keyHashes.map(target => buildAuditEntry('key.delete', { target }))
    await current().write.deleteKeys({ keyHashes, audit })
    expect(await current().read.readKeys()).toEqual([])
  })
}

function describeLogTokens(current: Current): void {
  const insertLogToken = (tokenId: string, changes: Parameters<typeof buildLogTokenRow>[1] = {}) =>
    current().write.insertLogToken({
      token: buildLogTokenRow(tokenId, changes),
      audit: buildAuditEntry('log_token.generate', { target: tokenId }),
    })
  beforeEach(() => insertTeam(current(), 'team-1'))

  test('tokens are read back as written, in the order of their creation', async () => {
    await insertLogToken('lt_2', { created_at: 2000 })
    await insertLogToken('lt_1')
    const expected = [buildLogTokenRow('lt_1'), buildLogTokenRow('lt_2', { created_at: 2000 })]
    expect(await current().read.readLogTokens()).toEqual(expected)
  })

  test('a revoked token stays listed with its time', async () => {
    await insertLogToken('lt_1')
    await insertLogToken('lt_2')
    await current().write.revokeLogToken({
      tokenHash: 'hash of lt_1',
      revokedAt: 1_795_000_000_000,
      audit: buildAuditEntry('log_token.revoke', { target: 'lt_1' }),
    })
    const tokens = await current().read.readLogTokens()
    expect(tokens.map(({ revoked_at }) => revoked_at)).toEqual([1_795_000_000_000, null])
    expect(actionsOf(await readAudit(current()))[0]).toBe('log_token.revoke')
  })

  test('neither an id nor a hash is given twice', async () => {
    await insertLogToken('lt_1')
    await failureOf(insertLogToken('lt_1', { token_hash: 'other' }))
    await failureOf(insertLogToken('lt_2', { token_hash: 'hash of lt_1' }))
    expect(await current().read.readLogTokens()).toHaveLength(1)
  })

  test('a token of no team is refused', async () => {
    await failureOf(insertLogToken('lt_1', { team_id: 'nobody' }))
  })
}

function describeAudit(current: Current): void {
  test('a row is read back as it was written, with a number', async () => {
    await current().write.insertTeam({
      team: buildTeamRow('team-1'),
      audit: buildAuditEntry('team.new', { at: 1_795_000_000_000, before: null, after: '{"a":1}' }),
    })
    const [row] = await readAudit(current())
    expect(row).toEqual({
      id: expect.any(Number),
      at: 1_795_000_000_000,
      actor: 'admin',
      action: 'team.new',
      team_id: 'team-1',
      target: 'team-1',
      before: null,
      after: '{"a":1}',
    })
  })

  test('pages go from the newest to the oldest and show each row once', async () => {
    for (const teamId of ['a', 'b', 'c', 'd', 'e']) await insertTeam(current(), teamId)
    const seen: string[] = []
    let beforeId: number | null = null
    for (;;) {
      const rows: AuditRecord[] = await current().read.listAudit({ limit: 2, beforeId, teamId: null })
      if (rows.length === 0) break
      seen.push(...rows.map(({ team_id }) => team_id))
      beforeId = rows.at(-1)?.id ?? null
    }
    expect(seen).toEqual(['e', 'd', 'c', 'b', 'a'])
  })

  test('the filter keeps the rows of one team', async () => {
    for (const teamId of ['a', 'b']) await insertTeam(current(), teamId)
    const team = buildTeamRow('a')
    await current().write.updateTeam({ team, audit: buildAuditEntry('team.update', { team_id: 'a' }) })
    const rows = await current().read.listAudit({ limit: 10, beforeId: null, teamId: 'a' })
    expect(actionsOf(rows)).toEqual(['team.update', 'team.new'])
    const [newest] = rows
    const older = await current().read.listAudit({ limit: 10, beforeId: newest?.id ?? 0, teamId: 'a' })
    expect(actionsOf(older)).toEqual(['team.new'])
  })
}

function describeBoards(current: Current): void {
  const change = (lock: 'lock' | 'unlock' | { lockAt: number }, now = 5000) =>
    current().write.changeBoardLock({
      teamId: 'team-1',
      change: lock,
      now,
      audit: { actor: 'admin', action: 'board.change' },
    })

  test('a board that nobody has touched is unknown', async () => {
    expect((await current().read.readBoard({ teamId: 'team-1' })) ?? null).toBeNull()
    expect(await current().read.listBoards()).toEqual([])
  })

  test('locking and unlocking answer the board and are audited with both states', async () => {
    await insertTeam(current(), 'team-1')
    expect(await change('lock')).toMatchObject({ locked: true, lockAt: null, updatedAt: 5000 })
    expect(await change('unlock', 6000)).toMatchObject({ locked: false, lockAt: null, updatedAt: 6000 })
    const [unlocked, locked] = await readAudit(current())
    expect(locked).toMatchObject({
      at: 5000,
      actor: 'admin',
      action: 'board.change',
      team_id: 'team-1',
      target: 'team-1',
      before: '{"locked":false,"lock_at":null}',
      after: '{"locked":true,"lock_at":null}',
    })
    expect(unlocked).toMatchObject({
      before: '{"locked":true,"lock_at":null}',
      after: '{"locked":false,"lock_at":null}',
    })
  })

  test('a set time is kept, leaves a locked board locked, and goes with the unlocking', async () => {
    const lockAt = 1_795_000_000_000
    expect(await change({ lockAt })).toMatchObject({ locked: false, lockAt })
    expect(await change('lock')).toMatchObject({ locked: true, lockAt: null })
    expect(await change({ lockAt })).toMatchObject({ locked: true, lockAt })
    expect(await change('unlock')).toMatchObject({ locked: false, lockAt: null })
  })

  // Fails today: only a lock by hand is looked at, so a later time opens a board whose first time has come.
  test('a later set time does not open a board whose set time has come', async () => {
    await change({ lockAt: 6000 })
    await change({ lockAt: 8000 }, 7000)
    const request = { teamId: 'team-1', entries: [buildEntryToAppend('a')] }
    expect(await current().write.appendEntries({ requests: [request], now: 7500 })).toEqual([
      { locked: true },
    ])
  })

  test('a board is made for a team that has none', async () => {
    expect(await change('lock')).toMatchObject({ teamId: 'team-1', locked: true, headSeq: 0 })
    expect(await current().read.readBoard({ teamId: 'team-1' })).toMatchObject({ locked: true })
  })

  test('boards are listed by team', async () => {
    for (const teamId of ['c', 'a', 'b']) await insertTeam(current(), teamId)
    expect((await current().read.listBoards()).map(({ teamId }) => teamId)).toEqual(['a', 'b', 'c'])
  })
}

function describeEntries(current: Current): void {
  const now = 1_795_000_000_000
  const append = async (teamId: string, names: readonly string[], at: number | null = now) => {
    const request = { teamId, entries: names.map(name => buildEntryToAppend(name)) }
    const [outcome] = await current().write.appendEntries({ requests: [request], now: at })
    return outcome
  }
  const rowsOf = (teamId: string) => current().read.readEntriesAfter({ teamId, afterSeq: 0, limit: 1000 })
  const headOf = (outcome: AppendOutcome | undefined) => (outcome?.locked === false ? outcome.head : null)

  test('entries are numbered without gaps and read back as they were given', async () => {
    const outcome = await append('team-1', ['a', 'b'])
    expect(outcome).toMatchObject({ locked: false, stored: 2, duplicates: 0, head: { seq: 2 } })
    const rows = await rowsOf('team-1')
    const expected = ['a', 'b'].map((name, position) => {
      const { bodyHash: _unstored, ...stored } = buildEntryToAppend(name)
      return { ...stored, seq: position + 1, receivedMicros: now * 1000 }
    })
    expect(rows).toMatchObject(expected)
    const board = await current().read.readBoard({ teamId: 'team-1' })
    expect(board).toMatchObject({ headSeq: 2, headChain: rows.at(-1)?.chain })
    expect(headOf(outcome)?.chain).toBe(rows.at(-1)?.chain ?? '')
  })

  test('an entry is stored once per team, wherever in the commit it comes again', async () => {
    await append('team-1', ['a'])
    const entries = (...names: string[]) => names.map(name => buildEntryToAppend(name))
    const outcomes = await current().write.appendEntries({
      now,
      requests: [
        { teamId: 'team-1', entries: entries('a', 'b', 'b') },
        { teamId: 'team-2', entries: entries('a') },
        { teamId: 'team-1', entries: entries('b', 'c') },
      ],
    })
    expect(outcomes).toMatchObject([
      { stored: 1, duplicates: 2, head: { seq: 2 } },
      { stored: 1, duplicates: 0, head: { seq: 1 } },
      { stored: 1, duplicates: 1, head: { seq: 3 } },
    ])
  })

  test('appends at the same time share one row of numbers', async () => {
    const names = Array.from({ length: atOnce }, (_, number) => `entry-${number}`)
    await Promise.all(names.map(name => append('team-1', [name, 'shared'])))
    const rows = await rowsOf('team-1')
    expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: atOnce + 1 }, (_, place) => place + 1))
    expect(new Set(rows.map(({ identity }) => identity)).size).toBe(atOnce + 1)
  })

  test('a locked board stores nothing; its set time counts from its millisecond on', async () => {
    const audit = { actor: 'admin', action: 'board.change' }
    await current().write.changeBoardLock({ teamId: 'team-1', change: { lockAt: now }, now: 0, audit })
    expect(await append('team-1', ['a'], now - 1)).toMatchObject({ locked: false, stored: 1 })
    expect(await append('team-1', ['b'], now)).toEqual({ locked: true })
    await current().write.changeBoardLock({ teamId: 'team-1', change: 'unlock', now: 0, audit })
    expect(await append('team-1', ['b'], now)).toMatchObject({ locked: false, head: { seq: 2 } })
  })

  test("without a given time the database's clock tells it", async () => {
    const before = Date.now()
    await append('team-1', ['a'], null)
    const [row] = await rowsOf('team-1')
    expect(row?.receivedMicros).toBeGreaterThanOrEqual((before - 1000) * 1000)
    expect(row?.receivedMicros).toBeLessThanOrEqual((Date.now() + 1000) * 1000)
  })

  test('bytes survive: quotes, other scripts, and 500 large entries in one request', async () => {
    const texts = ['"\\\u0007', '日本 \u{1F600}', "'; drop table entries; --"]
    const entries = Array.from({ length: 500 }, (_, number) =>
      buildEntryToAppend(`${number}`, { text: (texts[number % 3] ?? '').repeat(200) }),
    )
    await current().write.appendEntries({ requests: [{ teamId: 'team-1', entries }], now })
    const rows = await rowsOf('team-1')
    expect(rows.map(({ body }) => body)).toEqual(entries.map(({ body }) => body))
  })

  test('pages go from the newest time to the oldest, ties by number, each entry once', async () => {
    const entries = [5, 1, 5, 3, 5, 2].map((tsMicros, place) =>
      buildEntryToAppend(`${place}`, { tsMicros, tool: place % 2 === 0 ? 'even' : 'odd', event: 'Stop' }),
    )
    await current().write.appendEntries({ requests: [{ teamId: 'team-1', entries }], now })
    const readAll = async (toolKey: string | null) => {
      const seen: number[] = []
      let before: { tsMicros: number; seq: number } | null = null
      for (;;) {
        const page: Awaited<ReturnType<Store['read']['readEntriesPage']>> =
          await current().read.readEntriesPage({
            teamId: 'team-1',
            limit: 2,
            maximumBytes: 1e6,
            before,
            toolKey,
            eventKey: 'Stop',
          })
        seen.push(...page.rows.map(({ seq }) => seq))
        before = page.rows.at(-1) ?? null
        if (!page.hasMore) return seen
      }
    }
    expect(await readAll(null)).toEqual([5, 3, 1, 4, 6, 2])
    expect(await readAll('even')).toEqual([5, 3, 1])
    expect(await readAll('none')).toEqual([])
  })

  test('a page and the feed end at their bytes, but hold at least one entry', async () => {
    await append('team-1', ['a', 'b', 'c'])
    const page = await current().read.readEntriesPage({
      teamId: 'team-1',
      limit: 10,
      maximumBytes: 1,
      before: null,
      toolKey: null,
      eventKey: null,
    })
    expect([page.rows.map(({ seq }) => seq), page.hasMore]).toEqual([[3], true])
    const feed = await current().read.readEntriesAfter({
      teamId: 'team-1',
      afterSeq: 1,
      limit: 10,
      maximumBytes: 1,
    })
    expect(feed.map(({ seq }) => seq)).toEqual([2])
  })
}

function describeTransactions(current: Current): void {
  test('a batch with one bad row writes none of its rows, and the next one works', async () => {
    const bad = { ...buildCharge('b'), team_period: null as unknown as number }
    await failureOf(commit(current(), { opened: [buildOpenStream('s')], charges: [buildCharge('a'), bad] }))
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 0, costNano: 0 })
    expect(await current().write.chargeInterruptedStreams({ now: 1 })).toEqual({ charged: 0 })
    await charge(current(), buildCharge('a'))
    expect(await readTotals(current())).toMatchObject({ 'team:team-1': [1000, 10, 10] })
  })

  test('what a write has answered, the next read sees', async () => {
    for (const number of [1, 2, 3, 4, 5]) {
      await charge(current(), buildCharge(`call-${number}`))
      expect((await current().read.sumCharges({ teamId: 'team-1' })).count).toBe(number)
    }
  })
}
