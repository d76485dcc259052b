// Reads the vendor's proto-JSON, with members in camelCase or snake_case, and throws the vendor's errors.
import { VendorError } from './vendor-error.ts'

export type Json = Readonly<Record<string, unknown>>

const snakeNames = new Map<string, string>()

/** The member under either spelling. */
export function member(object: Json, camel: string): unknown {
  const value = object[camel]
  return value === undefined ? object[toSnake(camel)] : value
}

export function toSnake(camel: string): string {
  const known = snakeNames.get(camel)
  if (known !== undefined) return known
  const snake = camel.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
  snakeNames.set(camel, snake)
  return snake
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function requireObject(value: unknown, place: string): Json {
  if (isObject(value)) return value
  throw invalid(`Invalid value at ${place}: an object is expected.`)
}

export function requireList(value: unknown, place: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw invalid(`Invalid value at ${place}: a list is expected.`)
}

/** An absent member counts as an empty object. */
export function optionalObject(object: Json, camel: string): Json {
  const value = member(object, camel)
  return value === undefined || value === null ? {} : requireObject(value, toSnake(camel))
}

export function optionalText(object: Json, camel: string): string | undefined {
  const value = member(object, camel)
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  throw invalid(`Invalid value at '${toSnake(camel)}' (TYPE_STRING), ${JSON.stringify(value)}`)
}

/** A whole number, as a JSON number or as digits in a string. */
export function optionalInteger(object: Json, camel: string): number | undefined {
  const value = member(object, camel)
  if (value === undefined || value === null) return undefined
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number
  throw invalid(`Invalid value at '${toSnake(camel)}' (TYPE_INT32), ${JSON.stringify(value)}`)
}

export function refuseUnknown(object: Json, names: ReadonlySet<string>, place: string): void {
  for (const name of Object.keys(object)) {
    if (names.has(name)) continue
    const camel = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    if (!names.has(camel)) {
      throw invalid(`Invalid JSON payload received. Unknown name "${name}"${place}: Cannot find field.`)
    }
  }
}

/** Throws VendorError 400 when the body is not JSON. */
export async function readBody(request: Request): Promise<unknown> {
  try {
    return await request.json()
  } catch {
    throw invalid('Invalid JSON payload received. Unexpected end of string.')
  }
}

export function decodeBase64(data: unknown, place: string): Uint8Array {
  if (typeof data === 'string' && data !== '' && /^[\w+/\-\s]+={0,2}$/.test(data)) {
    return Buffer.from(data, 'base64')
  }
  throw invalid(`Invalid value at '${place}' (TYPE_BYTES), Base64 decoding failed for the given value.`)
}

export function invalid(message: string): VendorError {
  return new VendorError(400, message)
}
