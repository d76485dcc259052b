// The team of a log token, and the errors for callers without one.
import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import type { LogToken } from '../directory/types.ts'
import { createLogTokenAuthenticator } from './authenticate-log-token.ts'

const tokenHash = (secret: string) => createHash('sha256').update(secret).digest('hex')

function buildToken(secret: string, revokedAt: number | null): LogToken {
  return {
    tokenHash: tokenHash(secret),
    tokenId: 'lt_1',
    tokenName: 'aitc_...abcd',
    teamId: 'team-1',
    revokedAt,
    createdAt: 0,
    createdBy: 'organiser',
  }
}

const tokens = [buildToken('aitc_good', null), buildToken('aitc_revoked', 5)]
const authenticate = createLogTokenAuthenticator({
  findLogToken: hash => tokens.find(token => token.tokenHash === hash),
})
const ask = (authorization?: string) =>
  authenticate(
    new Request('http://logbook/', authorization === undefined ? {} : { headers: { authorization } }),
  )

test.each(['Bearer aitc_good', 'bearer aitc_good', 'Bearer   aitc_good '])(
  '%p belongs to the team',
  authorization => {
    expect(ask(authorization)).toEqual({ teamId: 'team-1', tokenId: 'lt_1' })
  },
)

test.each([
  [undefined, 'No log token'],
  ['', 'Malformed'],
  ['aitc_good', 'Malformed'],
  ['Basic aitc_good', 'Malformed'],
  ['Bearer aitc_good more', 'Malformed'],
  ['Bearer sk-1234', 'This is a gateway key: it only works on the gateway'],
  ['Bearer something', 'A log token starts with aitc_'],
  ['Bearer aitc_unknown', 'is cut off: 32 characters are missing'],
  ['Bearer aitc_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA-_', 'does not exist'],
  ['Bearer aitc_revoked', 'revoked'],
])('%p is refused with help', (authorization, message) => {
  expect(() => ask(authorization)).toThrow(
    expect.objectContaining({ code: 'unauthorized', status: 401, message: expect.stringContaining(message) }),
  )
})

test('a row that a faulty lookup returns for another token is not accepted', () => {
  const confused = createLogTokenAuthenticator({ findLogToken: () => tokens[0] })
  const request = new Request('http://logbook/', { headers: { authorization: 'Bearer aitc_other' } })
  expect(() => confused(request)).toThrow('is cut off')
})
