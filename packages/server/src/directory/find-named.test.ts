// A key or token is found by each of its names; a name that matches more than one is refused with a list of the matches.
import { describe, expect, test } from 'bun:test'
import { buildKeyRow, buildTeamRow } from '../store/testing/build-directory-rows.ts'
import { hashSecret } from './create-secret.ts'
import { fromKeyRow, fromTeamRow } from './directory-rows.ts'
import { requireKey, requireLogToken } from './find-named.ts'
import { refusalOf } from './testing/refusal-of.ts'
import type { Key, LogToken } from './types.ts'

const buildKey = (keyHash: string, teamId: string, alias: string, keyName: string): Key => ({
  ...fromKeyRow(buildKeyRow('key')),
  keyHash,
  teamId,
  alias,
  keyName,
})
const secret = 'sk-the-key-itself-wxyz'
const red = buildKey(hashSecret(secret), 'red', 'laptop', 'sk-...wxyz')
const blue = buildKey(`beef01${'0'.repeat(58)}`, 'blue', 'laptop', 'sk-...1234')
const tower = buildKey(`beef02${'0'.repeat(58)}`, 'blue', 'red/tower', 'sk-...beef')
const keys = [red, blue, tower]
const teams = ['red', 'blue'].map(teamId => fromTeamRow(buildTeamRow(teamId)))
const lookups = {
  findTeam: (teamId: string) => teams.find(team => team.teamId === teamId),
  findKey: (keyHash: string) => keys.find(key => key.keyHash === keyHash),
  findKeyBySecret: () => undefined,
  keys: () => keys,
  keysOfTeam: (teamId: string) => keys.filter(key => key.teamId === teamId),
}

describe('a key', () => {
  test.each([
    ['itself', secret, red],
    ['its hash', red.keyHash, red],
    ['its hash in capitals', red.keyHash.toUpperCase(), red],
    ['the beginning of its hash', 'beef01', blue],
    ['its last four characters', 'wxyz', red],
    ['its masked name', 'sk-...1234', blue],
    ['its team and alias', 'blue/laptop', blue],
    ['its team and last four characters', 'blue/1234', blue],
    ['an alias with a slash', 'red/tower', tower],
  ])('by %s', (_by, reference, found) => {
    expect(requireKey(lookups, reference)).toBe(found)
  })

  test.each([['nobody'], ['sk-nobody'], ['bee'], ['red/tower2'], ['green/laptop'], ['red/'], ['']])(
    '%j matches no key',
    async reference => {
      const refused = { code: 'key_not_found', param: 'keys[0]' }
      expect(await refusalOf(() => requireKey(lookups, reference, 'keys[0]'))).toEqual(refused)
    },
  )

  test('an ambiguous name is refused with all matches', () => {
    expect(() => requireKey(lookups, 'laptop')).toThrow(
      `2 have this name: ${red.keyHash.slice(0, 12)} (sk-...wxyz, laptop, team red); beef01000000 (sk-...1234, laptop, team blue). Use a hash`,
    )
    // The beginning of two hashes, and the end of a key.
    expect(() => requireKey(lookups, 'beef')).toThrow('2 have this name: beef01')
  })

  test('at most ten of many candidates are listed', () => {
    const many = Array.from({ length: 12 }, (_, index) =>
      buildKey(`${index}`.padStart(64, 'a'), 'red', 'same', 'sk-...same'),
    )
    expect(() => requireKey({ ...lookups, keys: () => many }, 'same')).toThrow('; and 2 more. Use a hash')
  })
})

describe('a log token', () => {
  const tokenSecret = 'aitc_the-token-itself-wxyz'
  const buildToken = (tokenId: string, teamId: string, tokenHash: string): LogToken => ({
    tokenId,
    teamId,
    tokenHash,
    tokenName: 'aitc_...wxyz',
    revokedAt: null,
    createdAt: 1,
    createdBy: 'admin',
  })
  const one = buildToken('lt_0001', 'red', hashSecret(tokenSecret))
  const two = buildToken('lt_0002', 'blue', 'c0ffee'.padEnd(64, '0'))
  const tokens = [one, two]
  const tokenLookups = {
    ...lookups,
    findLogToken: (hash: string) => tokens.find(({ tokenHash }) => tokenHash === hash),
    findLogTokenById: (id: string) => tokens.find(({ tokenId }) => tokenId === id),
    logTokens: () => tokens,
  }

  test.each([
    ['itself', tokenSecret, one],
    ['its id', 'lt_0002', two],
    ['the beginning of its hash', 'C0FFEE', two],
    ['its team and last four characters', 'red/wxyz', one],
    ['its team and masked name', 'blue/aitc_...wxyz', two],
  ])('by %s', (_by, reference, found) => {
    expect(requireLogToken(tokenLookups, reference)).toBe(found)
  })

  test('no match, or several', async () => {
    const refused = { code: 'log_token_not_found', param: 'token_id' }
    for (const name of ['lt_', 'nope', 'green/wxyz'])
      expect(await refusalOf(() => requireLogToken(tokenLookups, name))).toEqual(refused)
    expect(() => requireLogToken(tokenLookups, 'wxyz')).toThrow(
      '2 have this name: lt_0001 (aitc_...wxyz, team red); lt_0002',
    )
  })
})
