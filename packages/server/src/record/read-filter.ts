// Checks and resolves a query for calls: unknown parameters, key names, times.
import type { CallsQuery } from '@fairgate/contracts/calls/call-list.ts'
import { defaultCallsPage } from '@fairgate/contracts/calls/call-list.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { toKeyHash } from '../directory/create-secret.ts'
import { isKeyNamed } from '../directory/find-named.ts'
import { isHashOf } from '../directory/key-secrets.ts'
import { parseOpenRange } from '../directory/parse-times.ts'
import type { Key } from '../directory/types.ts'
import type { ReadCallsPageInput } from '../store/statements/calls.ts'

/** Input that the schema has checked, from either door. `keyHash`: already resolved. */
export function buildPageInput(
  query: Omit<CallsQuery, 'key'>,
  { teamId, keyHash }: Pick<ReadCallsPageInput, 'teamId' | 'keyHash'>,
): ReadCallsPageInput {
  const { endpoint = null, model = null, tool = null, session_id: sessionId = null } = query
  const { outcome = null, code = null, before: beforeId = null, limit = defaultCallsPage } = query
  const { undelivered = null } = query
  const { from, until } = parseOpenRange(query)
  return {
    teamId,
    keyHash,
    endpoint,
    model,
    tool,
    sessionId,
    outcome,
    code,
    undelivered,
    from,
    until,
    beforeId,
    limit,
  }
}

/** A typo in a filter would return all calls, so unknown and repeated parameters are refused. Throws ApiError `invalid_request`. */
export function refuseUnknownParameters(
  { properties }: { readonly properties: object },
  parameters: URLSearchParams,
): void {
  const names = [...parameters.keys()]
  for (const [index, name] of names.entries()) {
    if (!Object.hasOwn(properties, name))
      throw invalidRequest(
        name,
        `Unknown parameter '${name}'. Allowed: ${Object.keys(properties).join(', ')}.`,
      )
    if (names.indexOf(name) < index) throw invalidRequest(name, `Parameter '${name}' is given twice.`)
  }
}

const hashPattern = /^[0-9a-f]{64}$/

/**
 * Finds the hash of a key among `keys` by its alias, its masked name or the end of it, its hash or the beginning of it, or the key itself.
 * Also accepts the hash of a deleted key, because its calls are still on record. Throws ApiError `key_not_found`, which repeats no name, because
 * it may be a key.
 */
export function resolveKey(keys: readonly Key[], reference: string): string {
  const named = keys.filter(key => isKeyNamed(key, reference))
  const [only] = named
  if (named.length > 1)
    throw invalidRequest('key', `${named.length} keys have this name. Name one by its SHA-256.`)
  if (only !== undefined) return only.keyHash
  const hash = toKeyHash(reference)
  const itself = keys.find(key => isHashOf(key, hash))
  if (itself !== undefined) return itself.keyHash
  if (hashPattern.test(hash)) return hash
  throw new ApiError('key_not_found', { param: 'key' })
}
