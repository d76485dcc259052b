// The directory on a real database: each command is one audited write that applies at once and survives a restart.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import type { Directory } from './create-directory.ts'
import { openTestDirectory } from './testing/open-test-directory.ts'
import { invalid, refusalOf } from './testing/refusal-of.ts'

let opened: Awaited<ReturnType<typeof openTestDirectory>>
let directory: Directory

beforeEach(async () => {
  opened = await openTestDirectory()
  directory = opened.directory
})
afterEach(() => opened.close())

const actor = 'organiser'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const addTeam = () => directory.createTeam({ team_id: 'team-1' }, actor)
const addKey = async () => {
  await addTeam()
  return directory.generateKey({ team_id: 'team-1', key_alias: 'laptop' }, actor)
}
const addToken = async () => {
  await addTeam()
  return directory.generateLogToken({ team_id: 'team-1' }, actor)
}
const lastAudit = async () => (await opened.readAudit()).at(-1)
const snapshot = ({ teams, keys, logTokens, keysOfTeam }: Directory) => ({
  teams: teams(),
  keys: keys(),
  logTokens: logTokens(),
  ofTeams: teams().map(team => keysOfTeam(team.teamId)),
})

/** The audit rows that a command adds. */
async function auditedBy(command: () => Promise<unknown>) {
  const before = (await opened.readAudit()).length
  await command()
  return (await opened.readAudit()).slice(before)
}

describe('teams', () => {
  test('creating is audited with an empty before, and applies at once', async () => {
    const rows = await auditedBy(() => directory.createTeam({ team_id: 'team-1', max_budget: 5 }, actor))
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({
      actor,
      action: 'team.new',
      team_id: 'team-1',
      target: 'team-1',
      before: null,
      after: { team_id: 'team-1', max_budget: 5, created_by: actor },
    })
    expect(directory.findTeam('team-1')).toMatchObject({ maxBudget: 5_000_000_000, createdBy: actor })
  })

  test('a team without an id gets one', async () => {
    expect(await directory.createTeam({}, actor)).toMatchObject({ teamId: 'id-1', alias: 'id-1' })
  })

  test('a duplicate id is refused, even if both come at the same time', async () => {
    const outcomes = await Promise.allSettled([addTeam(), addTeam()])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(await refusalOf(addTeam)).toEqual({ code: 'conflict', param: 'team_id' })
    expect(await opened.readAudit()).toHaveLength(1)
  })

  test('updating is audited with both states', async () => {
    await addTeam()
    const body = { team_id: 'team-1', rpm_limit: 5 }
    const rows = await auditedBy(() => directory.updateTeam(body, 'other'))
    expect(rows).toMatchObject([
      { actor: 'other', action: 'team.update', before: { rpm_limit: null }, after: { rpm_limit: 5 } },
    ])
    expect(directory.findTeam('team-1')).toMatchObject({ rpmLimit: 5, updatedBy: 'other' })
  })

  test.each([
    [true, 'team.block'],
    [false, 'team.unblock'],
  ])('blocked %p is audited as %s', async (blocked, action) => {
    await addTeam()
    const rows = await auditedBy(() => directory.setTeamBlocked('team-1', blocked, actor))
    expect(rows).toMatchObject([{ action, actor, before: { blocked: false }, after: { blocked } }])
    expect(directory.findTeam('team-1')?.blocked).toBe(blocked)
  })

  test('another duration starts a new period, the same does not; both survive a restart', async () => {
    const created = await directory.createTeam({ team_id: 'team-1', budget_duration: '1d' }, actor)
    const same = await directory.updateTeam({ team_id: 'team-1', budget_duration: '1d' }, actor)
    expect(same.budgetAnchor).toBe(created.budgetAnchor)
    const other = await directory.updateTeam({ team_id: 'team-1', budget_duration: '1w' }, actor)
    expect(other.budgetAnchor).toBe(other.updatedAt)
    expect((await opened.load()).findTeam('team-1')?.budgetAnchor).toBe(other.budgetAnchor)
  })

  test('a refused value writes nothing', async () => {
    await addTeam()
    const update = () => directory.updateTeam({ team_id: 'team-1', models: ['nope'] }, actor)
    expect(await refusalOf(update)).toEqual(invalid('models[0]'))
    expect(await refusalOf(() => directory.createTeam({ budget_duration: 'x' }, actor))).toEqual(
      invalid('budget_duration'),
    )
    expect(await opened.readAudit()).toHaveLength(1)
    expect(directory.teams()).toHaveLength(1)
  })

  test('an unknown team is refused by every command', async () => {
    const refused = { code: 'team_not_found', param: 'team_id' }
    expect(await refusalOf(() => directory.updateTeam({ team_id: 'nobody' }, actor))).toEqual(refused)
    expect(await refusalOf(() => directory.setTeamBlocked('nobody', true, actor))).toEqual(refused)
    expect(await refusalOf(() => directory.generateKey({ team_id: 'nobody' }, actor))).toEqual(refused)
    expect(await refusalOf(() => directory.generateLogToken({ team_id: 'nobody' }, actor))).toEqual(refused)
    expect(await refusalOf(() => directory.lockBoard('nobody', null, actor))).toEqual(refused)
    expect(await refusalOf(() => directory.unlockBoard('nobody', actor))).toEqual(refused)
    expect(await opened.readAudit()).toEqual([])
  })
})

describe('keys', () => {
  test('a key has 192 random bits, and only its SHA-256 is stored', async () => {
    const { key, secret } = await addKey()
    expect(secret).toMatch(/^sk-[A-Za-z0-9]{39}$/)
    expect(key).toMatchObject({ keyHash: sha256(secret), keyName: `sk-...${secret.slice(-4)}` })
    expect(directory.findKey(sha256(secret))).toBe(key)
    const other = await directory.generateKey({ team_id: 'team-1' }, actor)
    expect(other.secret).not.toBe(secret)
    const stored = JSON.stringify((await opened.store.read.readDirectory({ after: null })).keys)
    expect(stored).not.toContain(secret.slice(3))
    expect(stored).toContain(key.keyHash)
  })

  test('generating is audited without the secret; the target is the hash, which is no credential', async () => {
    const { key, secret } = await addKey()
    const audit = await opened.readAudit()
    expect(audit).toHaveLength(2)
    expect(audit[1]).toMatchObject({
      actor,
      action: 'key.generate',
      team_id: 'team-1',
      target: key.keyHash,
      before: null,
      after: { key_alias: 'laptop', key_name: key.keyName },
    })
    expect(JSON.stringify(audit)).not.toContain(secret.slice(3))
    expect(JSON.stringify(audit[1]?.after)).not.toContain(key.keyHash)
    expect(directory.findKey(sha256(key.keyHash))).toBeUndefined()
  })

  test('a key is named by its secret or its hash, in either case', async () => {
    const { key, secret } = await addKey()
    for (const reference of [secret, key.keyHash, key.keyHash.toUpperCase()]) {
      const { made } = await directory.updateKey({ key: reference, key_alias: reference.slice(0, 5) }, actor)
      expect(made?.keyHash).toBe(key.keyHash)
    }
  })

  test('updating and blocking are audited with both states', async () => {
    const { key, secret } = await addKey()
    const rows = await auditedBy(async () => {
      await directory.updateKey({ key: secret, rpm_limit: 5 }, actor)
      await directory.setKeyBlocked(secret, true, {}, actor)
      await directory.setKeyBlocked(key.keyHash, false, {}, actor)
    })
    expect(rows).toMatchObject([
      { action: 'key.update', before: { rpm_limit: null }, after: { rpm_limit: 5 } },
      { action: 'key.block', before: { blocked: null }, after: { blocked: true } },
      { action: 'key.unblock', before: { blocked: true }, after: { blocked: false } },
    ])
    expect(JSON.stringify(rows)).not.toContain(secret.slice(3))
    expect(directory.keysOfTeam('team-1')).toMatchObject([{ rpmLimit: 5, blocked: false }])
  })

  test('deleting is audited once per key, however often it is named, and applies at once', async () => {
    const { key, secret } = await addKey()
    const other = await directory.generateKey({ team_id: 'team-1' }, actor)
    const rows = await auditedBy(() =>
      directory.deleteKeys({ keys: [secret, key.keyHash, other.key.keyHash, secret] }, actor),
    )
    expect(rows).toMatchObject([
      { action: 'key.delete', target: key.keyHash, before: { key_alias: 'laptop' }, after: null },
      { action: 'key.delete', target: other.key.keyHash, after: null },
    ])
    expect(directory.findKey(key.keyHash)).toBeUndefined()
    expect(directory.keys()).toEqual([])
    expect(directory.keysOfTeam('team-1')).toEqual([])
  })

  test('deleting is all or none', async () => {
    const { key } = await addKey()
    const remove = () => directory.deleteKeys({ keys: [key.keyHash, 'unknown'] }, actor)
    expect(await refusalOf(remove)).toEqual({ code: 'key_not_found', param: 'keys[1]' })
    expect(directory.keys()).toEqual([key])
    expect(await opened.readAudit()).toHaveLength(2)
  })

  test('an unknown key is refused, and a refused value writes nothing', async () => {
    const { secret } = await addKey()
    const refused = { code: 'key_not_found', param: 'key' }
    expect(await refusalOf(() => directory.updateKey({ key: 'sk-nope' }, actor))).toEqual(refused)
    expect(await refusalOf(() => directory.setKeyBlocked('nope', true, {}, actor))).toEqual(refused)
    const update = () => directory.updateKey({ key: secret, duration: 'long' }, actor)
    expect(await refusalOf(update)).toEqual(invalid('duration'))
    const generate = () => directory.generateKey({ team_id: 'team-1', aliases: { a: 'nope' } }, actor)
    expect(await refusalOf(generate)).toEqual(invalid('aliases.a'))
    expect(await opened.readAudit()).toHaveLength(2)
    expect(directory.keys()).toHaveLength(1)
  })
})

describe('log tokens', () => {
  test('a token has 192 random bits, only its SHA-256 is stored, and the audit has neither', async () => {
    const { token, secret } = await addToken()
    expect(secret).toMatch(/^aitc_[A-Za-z0-9]{39}$/)
    expect(directory.findLogToken(sha256(secret))).toBe(token)
    expect(directory.findLogTokenById(token.tokenId)).toBe(token)
    const stored = JSON.stringify((await opened.store.read.readDirectory({ after: null })).logTokens)
    expect(stored).not.toContain(secret.slice(5))
    const audit = await opened.readAudit()
    expect(audit).toHaveLength(2)
    expect(audit[1]).toMatchObject({ action: 'log_token.generate', target: token.tokenId, before: null })
    expect(JSON.stringify(audit)).not.toContain(secret.slice(5))
    expect(JSON.stringify(audit)).not.toContain(token.tokenHash)
  })

  test('revoking is audited once and keeps its first time', async () => {
    const { token } = await addToken()
    const rows = await auditedBy(async () => {
      const first = await directory.revokeLogToken(token.tokenId, {}, actor)
      expect((await directory.revokeLogToken(token.tokenId, {}, actor)).made).toEqual(first.made)
    })
    expect(rows).toMatchObject([
      {
        action: 'log_token.revoke',
        target: token.tokenId,
        before: { revoked_at: null },
        after: { revoked_at: expect.any(String) },
      },
    ])
    expect(directory.findLogToken(token.tokenHash)?.revokedAt).not.toBeNull()
  })

  test('an unknown token is refused', async () => {
    expect(await refusalOf(() => directory.revokeLogToken('lt_nope', {}, actor))).toEqual({
      code: 'log_token_not_found',
      param: 'token_id',
    })
  })
})

describe('boards', () => {
  test('locking, scheduling and unlocking are one audit row each', async () => {
    await addTeam()
    const lockAt = opened.time.now + 60_000
    const rows = await auditedBy(async () => {
      expect(await directory.lockBoard('team-1', lockAt, actor)).toMatchObject({ locked: false, lockAt })
      expect(await directory.lockBoard('team-1', null, actor)).toMatchObject({ locked: true, lockAt: null })
      expect(await directory.unlockBoard('team-1', actor)).toMatchObject({ locked: false, lockAt: null })
    })
    expect(rows).toMatchObject([
      { action: 'board.schedule', actor, target: 'team-1', after: { locked: false } },
      { action: 'board.lock', before: { locked: false }, after: { locked: true, lock_at: null } },
      { action: 'board.unlock', before: { locked: true }, after: { locked: false } },
    ])
  })
})

describe('memory and disk', () => {
  test('a second directory on the same database equals the first', async () => {
    const limits = { max_budget: 9_007_199, budget_duration: '12h', rpm_limit: 0, models: ['fast'] }
    const shown = { metadata: JSON.parse('{"deep":[{"a":null}]}'), tags: ['t'], organization_id: 'o' }
    const byModel = { model_rpm_limit: { fast: 1 }, model_tpm_limit: { 'model-2': 0 } }
    await addTeam()
    const full = { ...limits, ...shown, ...byModel, team_id: 'team-2', blocked: true }
    await directory.createTeam({ ...full, members_with_roles: [{ user: 'x' }] }, actor)
    await directory.generateKey({ team_id: 'team-1' }, actor)
    const { secret } = await directory.generateKey(
      {
        ...full,
        duration: '30d',
        aliases: { mine: 'fast' },
        model_max_budget: { fast: 0.000000001 },
        allowed_routes: ['/v1/models'],
        config: { a: 1 },
        permissions: {},
        allowed_cache_controls: [],
      },
      actor,
    )
    await directory.setKeyBlocked(secret, false, {}, actor)
    const { key } = await directory.generateKey({ team_id: 'team-2' }, actor)
    await directory.deleteKeys({ keys: [key.keyHash] }, actor)
    const { token } = await directory.generateLogToken({ team_id: 'team-1' }, actor)
    await directory.generateLogToken({ team_id: 'team-2' }, actor)
    await directory.revokeLogToken(token.tokenId, {}, actor)
    expect(snapshot(await opened.load())).toEqual(snapshot(directory))
  })

  test('commands on one team at the same time lose no update', async () => {
    await addTeam()
    const updates = Array.from({ length: 20 }, (_, number) => number)
    await Promise.all([
      ...updates.map(number =>
        directory.updateTeam({ team_id: 'team-1', team_alias: `name-${number}` }, actor),
      ),
      directory.updateTeam({ team_id: 'team-1', rpm_limit: 7 }, actor),
      directory.setTeamBlocked('team-1', true, actor),
      directory.updateTeam({ team_id: 'team-1', tpm_limit: 9 }, actor),
    ])
    const expected = { alias: 'name-19', rpmLimit: 7, tpmLimit: 9, blocked: true }
    expect(directory.findTeam('team-1')).toMatchObject(expected)
    expect((await opened.load()).findTeam('team-1')).toMatchObject(expected)
    const audit = await opened.readAudit()
    expect(audit).toHaveLength(24)
    const states = audit.slice(1)
    for (const [place, row] of states.entries()) {
      const previous = audit[place]
      expect(row.before).toEqual(previous?.after)
    }
  })

  test('a failed write leaves memory, disk and audit unchanged, and the next command works', async () => {
    const { key } = await addKey()
    const { token } = await directory.generateLogToken({ team_id: 'team-1' }, actor)
    const before = snapshot(directory)
    const audited = (await opened.readAudit()).length
    const commands = {
      insertTeam: () => directory.createTeam({ team_id: 'team-2' }, actor),
      updateTeam: () => directory.setTeamBlocked('team-1', true, actor),
      insertKey: () => directory.generateKey({ team_id: 'team-1' }, actor),
      updateKey: () => directory.setKeyBlocked(key.keyHash, true, {}, actor),
      deleteKeys: () => directory.deleteKeys({ keys: [key.keyHash] }, actor),
      insertLogToken: () => directory.generateLogToken({ team_id: 'team-1' }, actor),
      revokeLogToken: () => directory.revokeLogToken(token.tokenId, {}, actor),
      changeBoardLocks: () => directory.lockBoard('team-1', null, actor),
    }
    for (const name of Object.keys(commands) as (keyof typeof commands)[]) {
      opened.breakWrite(name)
      await expect(commands[name]()).rejects.toThrow('The disk is full.')
      expect(snapshot(directory)).toEqual(before)
    }
    opened.breakWrite(null)
    expect(snapshot(await opened.load())).toEqual(before)
    expect(await opened.readAudit()).toHaveLength(audited)
    expect(await commands.updateTeam()).toMatchObject({ blocked: true })
    expect(await lastAudit()).toMatchObject({ action: 'team.block' })
  })

  // Fails without `ChangeRunner`'s reload: memory then kept a state that was no longer on disk.
  test('a change with a lost reply applies as soon as the store is back', async () => {
    await addTeam()
    opened.loseAnswerOf('updateTeam')
    const block = directory.setTeamBlocked('team-1', true, actor)
    expect(await refusalOf(() => block)).toMatchObject({ code: 'unavailable' })
    // Nothing else is decided from possibly outdated data.
    expect(await refusalOf(() => directory.generateKey({ team_id: 'team-1' }, actor))).toMatchObject({
      code: 'unavailable',
    })
    await opened.bringBack()
    await directory.updateTeam({ team_id: 'team-1', rpm_limit: 5 }, actor)
    expect(directory.findTeam('team-1')).toMatchObject({ blocked: true, rpmLimit: 5 })
    expect(snapshot(await opened.load())).toEqual(snapshot(directory))
  })

  test('without another command too', async () => {
    const { key } = await addKey()
    opened.loseAnswerOf('deleteKeys')
    await refusalOf(() => directory.deleteKeys({ keys: [key.keyHash] }, actor))
    expect(directory.findKey(key.keyHash)).toBeDefined()
    await opened.bringBack()
    while (directory.findKey(key.keyHash) !== undefined) await Promise.resolve()
    expect(directory.keysOfTeam('team-1')).toEqual([])
  })

  // Fails if `use` is called before the row is written (create-directory.ts).
  test('a catalog change applies only once its audit row is on disk', async () => {
    let used = 0
    const use = () => {
      used += 1
    }
    const plan = { changes: [], warnings: [], basis: [] }
    const prepare = () => ({ plan, before: { old: {} }, after: { new: {} }, use })
    opened.breakWrite('recordCatalogChange')
    const failure = await directory.changeCatalog(prepare, {}, actor).catch((error: Error) => error.message)
    expect([failure, used]).toEqual(['The disk is full.', 0])
    opened.breakWrite(null)
    await directory.changeCatalog(prepare, {}, actor)
    expect(used).toBe(1)
    expect(await lastAudit()).toMatchObject({
      actor,
      action: 'catalog.reload',
      before: { old: {} },
      after: { new: {} },
    })
  })

  test('lists are in the order of creation', async () => {
    for (const team_id of ['c', 'a', 'b']) {
      await directory.createTeam({ team_id }, actor)
      await directory.generateKey({ team_id, key_alias: team_id }, actor)
    }
    const order = ({ teams, keys }: Directory) => [
      teams().map(({ teamId }) => teamId),
      keys().map(({ alias }) => alias),
    ]
    const expected = [
      ['c', 'a', 'b'],
      ['c', 'a', 'b'],
    ]
    expect(order(directory)).toEqual(expected)
    expect(order(await opened.load())).toEqual(expected)
  })

  test('a row that Fairgate did not write is found at startup', async () => {
    await addTeam()
    await opened.db.updateTable('teams').set({ models: '{"not":"a list"}' }).execute()
    await expect(opened.load()).rejects.toThrow(/models/)
  })
})
