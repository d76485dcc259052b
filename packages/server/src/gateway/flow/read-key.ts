// Reads the gateway key of a request. Clients of each API send it in a header of their own, and every dialect accepts all of them.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { readBearer } from '../../http/read-bearer.ts'
import type { SecurityScheme } from '../../http/route-family.ts'

export type KeyPlaces = {
  /** Headers with the bare key. */
  readonly headers: readonly string[]
  /** True if `Authorization: Bearer` is read as well. */
  readonly takesBearer: boolean
  /** What refusals ask for: `"Authorization: Bearer sk-…"`. */
  readonly wanted: string
}

/** Azure's clients send `api-key`, Anthropic's `x-api-key`, the vendor's `x-goog-api-key`. */
export const keyHeaders = ['api-key', 'x-api-key', 'x-goog-api-key'] as const

export const bearerOnly: KeyPlaces = {
  headers: [],
  takesBearer: true,
  wanted: '"Authorization: Bearer sk-…"',
}

/** Used unless a dialect's clients need another advice. */
export const usualPlaces: KeyPlaces = { ...bearerOnly, headers: keyHeaders }

/** The schemes of `keyHeaders` for the OpenAPI document, by name. */
export const keySchemes: Readonly<Record<(typeof keyHeaders)[number], SecurityScheme>> = {
  'api-key': describeHeader('api-key', "Azure's"),
  'x-api-key': describeHeader('x-api-key', "Anthropic's"),
  'x-goog-api-key': describeHeader('x-goog-api-key', "the vendor's"),
}

function describeHeader(name: (typeof keyHeaders)[number], owner: string): SecurityScheme {
  return { type: 'apiKey', in: 'header', name, description: `The same key, as ${owner} clients send it` }
}

/** Throws like `findKey`, and ApiError `invalid_api_key` without a key. */
export function readKey(headers: Headers, places: KeyPlaces): string {
  const key = findKey(headers, places)
  if (key === null) throw refuseKey(`No gateway key. Send ${places.wanted}.`)
  return key
}

/**
 * Null without a key; an empty header counts as absent. Throws ApiError `invalid_api_key` for two different keys, even if one of them
 * is right, and for an `Authorization` that is read but is no bearer token.
 */
export function findKey(headers: Headers, { headers: names, takesBearer, wanted }: KeyPlaces): string | null {
  let place = 'Authorization'
  let key: string | null = null
  if (takesBearer) {
    const bearer = readBearer(headers)
    if (bearer.kind === 'malformed') throw refuseKey(`Malformed Authorization header. Send ${wanted}.`)
    if (bearer.kind === 'secret') key = bearer.secret
  }
  for (const name of names) {
    const given = headers.get(name)?.trim()
    if (given === undefined || given === '' || given === key) continue
    if (key !== null) throw refuseKey(`${place} and ${name} contain different keys. Send only one of them.`)
    place = name
    key = given
  }
  return key
}

/** 401 `invalid_api_key` with this message. */
export function refuseKey(message: string): ApiError {
  return new ApiError('invalid_api_key', { message })
}
