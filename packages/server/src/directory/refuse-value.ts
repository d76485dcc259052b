// Turns the plain errors of the ledger's parsers into the 400 that names the member at fault.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'

export function refuseValue(param: string, message: string): ApiError {
  return new ApiError('invalid_request', { param, message: `Invalid value for '${param}': ${message}` })
}

/** Runs a parser that throws RangeError. Throws ApiError `invalid_request` instead. */
export function parseMember<Value>(param: string, parse: () => Value): Value {
  try {
    return parse()
  } catch (cause) {
    if (cause instanceof RangeError) throw refuseValue(param, cause.message)
    throw cause
  }
}
