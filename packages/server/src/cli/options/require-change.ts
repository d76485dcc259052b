// An update that names nothing to change is a slip, not a request.
import { CommandFailure } from '../command-failure.ts'

/** Throws CommandFailure 2. */
export function requireChange<Fields extends object>(fields: Fields): Fields {
  if (Object.keys(fields).length > 0) return fields
  throw new CommandFailure(2, 'error: nothing to change. Give at least one option (--help lists them).')
}
