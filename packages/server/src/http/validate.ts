// Checks a value against a schema compiled once; the first fault becomes a 400 that names the member.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

type Fault = ReturnType<ReturnType<typeof Compile>['Errors']>[number]

/** Throws ApiError `invalid_request` with `param` as a path like `messages[0].content`. */
export function validateWith<Schema extends TSchema>(schema: Schema): (value: unknown) => Static<Schema> {
  const validator = Compile(schema)
  const isValid = (value: unknown): value is Static<Schema> => validator.Check(value)
  return value => {
    if (isValid(value)) return value
    throw describeFault(validator.Errors(value))
  }
}

function describeFault(faults: readonly Fault[]): ApiError {
  const fault = chooseFault(faults)
  if (fault === undefined) return new ApiError('invalid_request')
  const place = formatPointer(fault.instancePath)
  if (fault.keyword === 'required') {
    const param = joinPath(place, fault.params.requiredProperties[0] ?? '')
    return new ApiError('invalid_request', { param, message: `${param} is required.` })
  }
  if (fault.keyword === 'additionalProperties') {
    const param = joinPath(place, fault.params.additionalProperties[0] ?? '')
    return new ApiError('invalid_request', { param, message: `${param} is not a known member.` })
  }
  // How the validator reports a member that `additionalProperties: false` shuts out.
  if (fault.keyword === 'boolean') {
    return new ApiError('invalid_request', { param: place, message: `${place} is not a known member.` })
  }
  const message = `${place === '' ? 'The body' : place} ${explain(fault, faults)}.`
  return new ApiError('invalid_request', place === '' ? { message } : { param: place, message })
}

/** The first fault; where it is one branch of a union, the first fault inside that union which goes deepest. */
function chooseFault(faults: readonly Fault[]): Fault | undefined {
  const [first] = faults
  if (first === undefined) return undefined
  const isUnion = faults.some(fault => fault.keyword === 'anyOf' && fault.instancePath === first.instancePath)
  if (!isUnion) return first
  return faults
    .filter(fault => fault.instancePath.startsWith(`${first.instancePath}/`))
    .reduce((deepest, fault) => (depthOf(fault) > depthOf(deepest) ? fault : deepest), first)
}

function depthOf(fault: Fault): number {
  return fault.instancePath.split('/').length
}

function explain(fault: Fault, faults: readonly Fault[]): string {
  switch (fault.keyword) {
    case 'type':
      return `must be ${typesAt(fault.instancePath, faults).join(' or ')}`
    case 'enum':
      return `must be one of ${fault.params.allowedValues.map(value => JSON.stringify(value)).join(', ')}`
    case 'const':
      return `must be ${JSON.stringify(fault.params.allowedValue)}`
    case 'minLength':
    case 'minItems':
      return fault.params.limit === 1 ? 'must not be empty' : fault.message
    default:
      return fault.message
  }
}

/** All types that a union accepts there. Null is left out: clients that send it mean "not given". */
function typesAt(place: string, faults: readonly Fault[]): string[] {
  const types = faults.flatMap(fault =>
    fault.keyword === 'type' && fault.instancePath === place ? fault.params.type : [],
  )
  const named = types.filter(type => type !== 'null')
  return [...new Set(named.length > 0 ? named : types)]
}

function joinPath(place: string, name: string): string {
  return place === '' ? name : `${place}.${name}`
}

/** JSON pointer → `messages[0].content`. */
function formatPointer(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : joinPath(path, part)), '')
}
