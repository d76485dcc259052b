// Checks a value against a schema compiled once; the first fault becomes a 400 that names the member.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import Type, { type Static, type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { Pointer } from 'typebox/value'
import { dropAbsent, type IsAbsent, isNull, substitutesOf } from './drop-absent.ts'
import { narrowFault } from './narrow-fault.ts'

/** Enough for all branches of a union of messages and parts: the faults of the intended branch must be among them. */
Settings.Set({ maxErrors: 200 })

type Reported = ReturnType<ReturnType<typeof Compile>['Errors']>[number]

type Fault = Reported & {
  readonly refusal: string | null
  readonly substitute: string | null
}

/**
 * Optional members with a value that `isAbsent` count as not given. By default these are the nulls. The result throws ApiError
 * `invalid_request` with `param` as a path like `messages[0].content`.
 */
export function validateWith<Schema extends TSchema>(
  schema: Schema,
  isAbsent: IsAbsent = isNull,
): (value: unknown) => Static<Schema> {
  const validator = Compile(schema)
  const isValid = (value: unknown): value is Static<Schema> => validator.Check(value)
  const refuse = (value: unknown): ApiError => {
    const { value: narrowed, restorePath, tooMany } = narrowFault(value, isValid)
    if (tooMany !== null) return refuseLength(tooMany)
    const faults = validator.Errors(narrowed)
    return describeFault(
      faults.map(fault => ({
        ...fault,
        instancePath: restorePath(fault.instancePath),
        refusal: refusalOf(schema, fault),
        substitute: substituteOf(schema, fault),
      })),
    )
  }
  return given => {
    if (isValid(given)) return given
    const value = dropAbsent(schema, given, isAbsent)
    if (value !== given && isValid(value)) return value
    throw refuse(value)
  }
}

/** The error of a refined schema for values of another type, which the validator does not ask it about. */
function refusalOf(
  schema: TSchema,
  { keyword, schemaPath }: Pick<Fault, 'keyword' | 'schemaPath'>,
): string | null {
  if (keyword !== 'type') return null
  const refined = Pointer.Get(schema, schemaPath.slice(1))
  return Type.IsRefine(refined) ? (refined['~refine'][0]?.error(undefined) ?? null) : null
}

/** What to send instead of a member that an object refuses; null if its schema names nothing. */
function substituteOf(schema: TSchema, fault: Reported): string | null {
  const { schemaPath, instancePath } = fault
  const excluded = fault.keyword === 'additionalProperties' ? fault.params.additionalProperties[0] : undefined
  const name = fault.keyword === 'boolean' ? instancePath.split('/').at(-1) : excluded
  if (name === undefined) return null
  const owner = Pointer.Get(schema, schemaPath.slice(1).replace(/\/additionalProperties$/, ''))
  return substitutesOf(owner)[name] ?? null
}

function refuseLength({ pointer, limit }: { readonly pointer: string; readonly limit: number }): ApiError {
  const param = formatPointer(pointer)
  const message = `${param === '' ? 'The body' : param} must not have more than ${limit} items.`
  return param === '' ? new ApiError('invalid_request', { message }) : invalidRequest(param, message)
}

function describeFault(faults: readonly Fault[]): ApiError {
  const fault = chooseFault(faults)
  if (fault === undefined) return new ApiError('invalid_request')
  const place = formatPointer(fault.instancePath)
  if (fault.keyword === 'required') {
    const param = joinPath(place, fault.params.requiredProperties[0] ?? '')
    return invalidRequest(param, `${param} is required.`)
  }
  if (fault.keyword === 'additionalProperties') {
    const param = joinPath(place, fault.params.additionalProperties[0] ?? '')
    return refuseMember(param, fault)
  }
  // The validator's report of a member that `additionalProperties: false` excludes.
  if (fault.keyword === 'boolean') {
    return refuseMember(place, fault)
  }
  const message = `${place === '' ? 'The body' : place} ${explain(fault, faults)}.`
  return place === '' ? new ApiError('invalid_request', { message }) : invalidRequest(place, message)
}

function refuseMember(param: string, { substitute }: Fault): ApiError {
  const message =
    substitute === null ? `${param} is not a known member.` : `${param} is not used here. ${substitute}`
  return invalidRequest(param, message)
}

/** The first fault. If it is in a union, the fault of the branch that the value was meant to be. */
function chooseFault(faults: readonly Fault[]): Fault | undefined {
  const [first] = faults
  if (first === undefined) return undefined
  const path = unionPath(first.schemaPath)
  const end = faults.findIndex(fault => fault.keyword === 'anyOf' && fault.schemaPath === path)
  const union = faults[end]
  if (path === null || union === undefined) return first
  return chooseInUnion(faults.slice(0, end), path, union.instancePath) ?? first
}

/** The deepest fault of the branches that the value's type and tag (`type`, `role`) allow. */
function chooseInUnion(faults: readonly Fault[], path: string, place: string): Fault | undefined {
  const branches = groupBranches(faults, path)
  const meant = branches.filter(branch => isMeant(branch, path, place))
  if (meant.length > 0) {
    // Inside one branch a nested union is a union of its own.
    const chosen = meant.flatMap(branch => chooseFault(stripBranch(branch, path)) ?? [])
    return chosen.reduce((deepest, fault) => (depthOf(fault) > depthOf(deepest) ? fault : deepest))
  }
  const tags = branches.flatMap(branch => branch.filter(fault => isOtherTag(fault, place)))
  const [tag] = tags
  if (tag === undefined) return faults.find(fault => isFixed(fault) && fault.instancePath === place)
  const allowedValues = tags.filter(({ instancePath }) => instancePath === tag.instancePath).flatMap(valuesOf)
  if (allowedValues.length === 1) return tag
  return { ...tag, keyword: 'enum', params: { allowedValues } }
}

/** `#/a/anyOf/0/b` → `#/a`: the outermost union that the path enters. */
function unionPath(schemaPath: string): string | null {
  return /^(.*?)\/anyOf\/\d+(?=\/|$)/.exec(schemaPath)?.[1] ?? null
}

function groupBranches(faults: readonly Fault[], path: string): Fault[][] {
  const groups = new Map<string, Fault[]>()
  for (const fault of faults) {
    if (!fault.schemaPath.startsWith(`${path}/anyOf/`)) continue
    const name = fault.schemaPath.slice(path.length + '/anyOf/'.length).split('/')[0] ?? ''
    groups.set(name, [...(groups.get(name) ?? []), fault])
  }
  return [...groups.values()]
}

function stripBranch(branch: readonly Fault[], path: string): Fault[] {
  return branch.map(fault => ({
    ...fault,
    schemaPath: fault.schemaPath.slice(path.length).replace(/^\/anyOf\/\d+/, '#'),
  }))
}

/** A branch that is a union itself is meant if one of its own branches is. */
function isMeant(branch: readonly Fault[], path: string, place: string): boolean {
  const own = stripBranch(branch, path)
  return own.some(fault => fault.keyword === 'anyOf' && fault.schemaPath === '#')
    ? groupBranches(own, '#').some(inner => isMeant(inner, '#', place))
    : !own.some(fault => isOtherKind(fault, place))
}

function isOtherKind(fault: Fault, place: string): boolean {
  const isOfItself = fault.instancePath === place && (fault.keyword === 'type' || isFixed(fault))
  return isOfItself || isOtherTag(fault, place)
}

/** A fixed value of a direct member, which distinguishes the branches of a union; or a branch for all other types. */
function isOtherTag(fault: Fault, place: string): boolean {
  const { instancePath, keyword } = fault
  const isDirect = instancePath.startsWith(`${place}/`) && !instancePath.slice(place.length + 1).includes('/')
  return isDirect && (isFixed(fault) || (keyword === '~refine' && instancePath.endsWith('/type')))
}

function isFixed({ keyword }: Fault): boolean {
  return keyword === 'const' || keyword === 'enum'
}

function valuesOf(fault: Fault): unknown[] {
  if (fault.keyword === 'const') return [fault.params.allowedValue]
  return fault.keyword === 'enum' ? [...fault.params.allowedValues] : []
}

function depthOf(fault: Fault): number {
  return fault.instancePath.split('/').length
}

function explain(fault: Fault, faults: readonly Fault[]): string {
  if (fault.refusal !== null) return fault.refusal
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
