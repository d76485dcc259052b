// Parses the body of POST /api/ingest and validates the request as a whole. Each entry is validated on its own later.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { maximumEntriesPerRequest } from '@fairgate/contracts/logbook/limits.ts'
import { checkJsonStructure, smallestScanned } from '../../http/check-json-structure.ts'

/** A million members take about 100 MB while they are parsed. The depth is checked for each entry. */
const limits = { depth: Number.POSITIVE_INFINITY, values: 1_000_000 }

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Throws ApiError `invalid_json`, `invalid_request` (400) or `too_many_entries` (413; spec 4.2, 8). */
export function parseBatch(bytes: Uint8Array): { entries: unknown[] } {
  const body = parseJson(bytes)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ApiError('invalid_request', { message: 'The body must be an object: {"entries": [ … ]}.' })
  }
  const entries: unknown = Object.hasOwn(body, 'entries') && 'entries' in body ? body.entries : undefined
  if (!Array.isArray(entries)) {
    throw invalidRequest('entries', '\'entries\' must be an array: send {"entries": [ … ]}.')
  }
  if (entries.length > maximumEntriesPerRequest) {
    throw new ApiError('too_many_entries', {
      param: 'entries',
      message: `At most ${maximumEntriesPerRequest} entries per request; this one has ${entries.length}.`,
    })
  }
  return { entries }
}

function parseJson(bytes: Uint8Array): unknown {
  if (bytes.byteLength > smallestScanned) checkJsonStructure(bytes, limits)
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch (cause) {
    throw new ApiError('invalid_json', { message: 'The body is not valid UTF-8.', cause })
  }
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ApiError('invalid_json', { cause })
  }
}
