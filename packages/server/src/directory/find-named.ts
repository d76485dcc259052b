// Finds the key or log token that an organiser refers to: by secret, hash, alias, last four characters, or team and one of these.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { hashSecret } from './create-secret.ts'
import type { DirectoryLookups } from './directory-memory.ts'
import { refuseValue } from './refusals.ts'
import type { Key, LogToken } from './types.ts'

/** With fewer digits it would match too many. */
const shortestPrefix = 4
const shownCandidates = 10

type KeyLookups = Pick<DirectoryLookups, 'findKey' | 'findKeyBySecret' | 'findTeam' | 'keys' | 'keysOfTeam'>
type TokenLookups = Pick<DirectoryLookups, 'findLogToken' | 'findLogTokenById' | 'findTeam' | 'logTokens'>

/** Throws ApiError `key_not_found` (404), which repeats no name, because it may be a key, or `invalid_request` with the keys that match. */
export function requireKey(lookups: KeyLookups, reference: string, param = 'key'): Key {
  const hash = toHash(reference)
  const itself = lookups.findKey(hash) ?? lookups.findKeyBySecret(hash)
  if (itself !== undefined) return itself
  const inTeam = splitTeam(lookups, reference)
  const named = lookups.keys().filter(key => isKeyNamed(key, reference))
  const namedInTeam =
    inTeam === null ? [] : lookups.keysOfTeam(inTeam.teamId).filter(key => isKeyNamed(key, inTeam.name))
  return requireOne([...named, ...namedInTeam], 'key_not_found', param, describeKey)
}

/** Throws ApiError `log_token_not_found` (404), which repeats no name, or `invalid_request` with the tokens that match. */
export function requireLogToken(lookups: TokenLookups, reference: string): LogToken {
  const itself = lookups.findLogTokenById(reference) ?? lookups.findLogToken(toHash(reference))
  if (itself !== undefined) return itself
  const inTeam = splitTeam(lookups, reference)
  const named = lookups
    .logTokens()
    .filter(
      token =>
        isTokenNamed(token, reference) ||
        (inTeam !== null && token.teamId === inTeam.teamId && isTokenNamed(token, inTeam.name)),
    )
  return requireOne(named, 'log_token_not_found', 'token_id', describeToken)
}

/** Matches its alias, its masked name or the end of it, or the beginning of its hash. */
export function isKeyNamed({ alias, keyName, keyHash }: Key, name: string): boolean {
  return alias === name || isMaskedName(keyName, name) || isPrefix(keyHash, name)
}

export function isTokenNamed({ tokenId, tokenName, tokenHash }: LogToken, name: string): boolean {
  const isStartOfId = name.length >= 'lt_'.length + shortestPrefix && tokenId.startsWith(name)
  return isStartOfId || isMaskedName(tokenName, name) || isPrefix(tokenHash, name)
}

function isMaskedName(masked: string, name: string): boolean {
  return masked === name || (name.length === 4 && masked.endsWith(name))
}

function isPrefix(hash: string, name: string): boolean {
  return name.length >= shortestPrefix && hash.startsWith(name.toLowerCase())
}

/** `team-01/laptop`: no team_id contains a slash. */
function splitTeam({ findTeam }: Pick<DirectoryLookups, 'findTeam'>, reference: string) {
  const slash = reference.indexOf('/')
  const team = slash === -1 ? undefined : findTeam(reference.slice(0, slash))
  return team === undefined ? null : { teamId: team.teamId, name: reference.slice(slash + 1) }
}

/** The hash of the secret, or the hash as given. */
function toHash(reference: string): string {
  const isSecret = reference.startsWith('sk-') || reference.startsWith('aitc_')
  return isSecret ? hashSecret(reference) : reference.toLowerCase()
}

function requireOne<Named>(
  named: readonly Named[],
  code: 'key_not_found' | 'log_token_not_found',
  param: string,
  describe: (one: Named) => string,
): Named {
  const [first, ...others] = new Set(named)
  if (first === undefined) throw new ApiError(code, { param })
  if (others.length === 0) return first
  const shown = [first, ...others].slice(0, shownCandidates).map(describe).join('; ')
  const more = others.length + 1 > shownCandidates ? `; and ${others.length + 1 - shownCandidates} more` : ''
  throw refuseValue(
    param,
    `${others.length + 1} have this name: ${shown}${more}. Use a hash instead, or put the team in front, as in team-01/laptop.`,
  )
}

function describeKey({ keyHash, keyName, alias, teamId }: Key): string {
  return `${keyHash.slice(0, 12)} (${keyName}${alias === '' ? '' : `, ${alias}`}, team ${teamId})`
}

function describeToken({ tokenId, tokenName, teamId }: LogToken): string {
  return `${tokenId} (${tokenName}, team ${teamId})`
}
