// Pages of lists: the position at the end of a page, as text for the next request, and the items after it.
import Type, { type Static, type TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { refuseValue } from './refusals.ts'

/** The parts of a position. No engine stores text with NUL. */
export const placeNumber = Type.Integer({
  minimum: -Number.MAX_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
})
export const placeText = Type.String({ pattern: '^[^\\u0000]*$' })

export function writePlace(place: unknown): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

/** Throws ApiError `invalid_request` for a text that `writePlace` did not write. */
export function readPlace<Schema extends TSchema>(
  schema: Schema,
  text: string,
  fault: { readonly param?: string; readonly message?: string } = {},
): Static<Schema> {
  try {
    const place: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    if (Value.Check(schema, place)) return place
  } catch {
    // Refused below, like any other text that is not a position.
  }
  throw refuseValue(fault.param ?? 'after', fault.message ?? 'it is not the `next` of a page.')
}

export const nextOfPageBefore = 'use the `next` of the previous page.'

/** A page of a list in memory. `after`: the id of the last item before it. Throws ApiError `invalid_request` for an invalid id. */
export function takePage<Item>(
  items: readonly Item[],
  idOf: (item: Item) => string,
  { after, limit = 100 }: { readonly after?: string; readonly limit?: number },
  message = nextOfPageBefore,
): { readonly page: readonly Item[]; readonly next: string | null } {
  const start = after === undefined ? 0 : items.findIndex(item => idOf(item) === after) + 1
  if (after !== undefined && start === 0) throw refuseValue('after', message)
  const page = items.slice(start, start + limit)
  const last = page.at(-1)
  return { page, next: last === undefined || start + limit >= items.length ? null : idOf(last) }
}
