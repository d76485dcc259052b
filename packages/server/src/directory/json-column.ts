// Reads a JSON column back and checks that it is what was written, so that a damaged row is found at start.
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'

/** Throws an Error that names the column. */
export function readJsonColumn<Schema extends TSchema>(
  column: string,
  schema: Schema,
  text: string,
): Static<Schema> {
  const value: unknown = JSON.parse(text)
  if (Value.Check(schema, value)) return value
  throw new Error(`The database holds a value in ${column} that Fairgate did not write.`)
}
