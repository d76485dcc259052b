// Reads a body in two ways: as values, to be checked, and as bytes, to be relayed. Both must mean the same to everyone.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { Static, TSchema } from 'typebox'
import type { CatalogModel } from '../../../catalog/types.ts'
import { parseJson } from '../../../http/read-body.ts'
import { validateWith } from '../../../http/validate.ts'
import { asRecord } from '../../../upstream/narrow-json.ts'
import { type JsonPath, walkJson } from '../../../upstream/walk-json.ts'

export type GeminiBody<Value> = {
  readonly bytes: Uint8Array
  /** In camelCase, validated. */
  readonly value: Value
  /** The places where the body names models: members with our name, which must become the upstream's. */
  readonly modelNames: readonly ModelName[]
}

export type ModelName = { readonly start: number; readonly end: number; readonly name: string }

/** Vendor features that are not supported: each would change the cost of a call or reach what other teams have made. */
const notOffered: Readonly<Record<string, string>> = {
  cachedContent: 'Cached contents are not supported. Send the whole prompt in contents.',
  cached_content: 'Cached contents are not supported. Send the whole prompt in contents.',
  serviceTier: 'Service tiers are not supported: every call has the standard price.',
  service_tier: 'Service tiers are not supported: every call has the standard price.',
  labels: 'Labels are not supported. Leave them out.',
  store: 'Stored replies are not supported. Send the earlier turns again in contents.',
  continuationToken: 'Continued replies are not supported. Send the earlier turns again in contents.',
  continuation_token: 'Continued replies are not supported. Send the earlier turns again in contents.',
}

/** The vendor's built-in tools without a price here, and what to do instead. */
const toolsNotOffered: Readonly<Record<string, string>> = {
  urlContext: 'Fetch the page in your client and put its text into contents.',
  codeExecution: 'Declare a function and run the code in your client.',
  computerUse: 'Declare functions for the actions and carry them out in your client.',
  fileSearch: 'Search in your client and put the passages into contents.',
  googleMaps: 'Declare a function and look the place up in your client.',
  googleSearchRetrieval: 'Send googleSearch instead.',
  enterpriseWebSearch: 'Send googleSearch instead.',
  mcpServers: 'Connect MCP servers in your client and declare their tools as functions.',
}

/** Members are known by both spellings unless another `readNames` is given. Throws ApiError `invalid_json`, and `invalid_request` with the member. */
export function createBodyReader<Schema extends TSchema>(
  schema: Schema,
  readNames: (schema: TSchema, value: unknown) => unknown = readProtoJson,
): (bytes: Uint8Array) => GeminiBody<Static<Schema>> {
  const validate = validateWith(schema)
  return bytes => {
    const parsed = parseJson(bytes)
    const { modelNames } = inspect(bytes)
    refuseNotOffered(parsed)
    return { bytes, value: validate(readNames(schema, parsed)), modelNames }
  }
}

/** `place`: of a whole request within the body of countTokens, which is judged like the request itself. */
function refuseNotOffered(parsed: unknown, place = ''): void {
  for (const [name, value] of Object.entries(asRecord(parsed) ?? {})) {
    const message = Object.hasOwn(notOffered, name) ? notOffered[name] : undefined
    if (message !== undefined && value !== null) throw invalidRequest(`${place}${name}`, message)
    const isWhole = name === 'generateContentRequest' || name === 'generate_content_request'
    if (isWhole && place === '') refuseNotOffered(value, `${name}.`)
  }
  const tools = asRecord(parsed)?.tools
  if (Array.isArray(tools))
    for (const [index, tool] of tools.entries()) refuseTool(tool, `${place}tools[${index}]`)
}

function refuseTool(tool: unknown, place: string): void {
  for (const [given, value] of Object.entries(asRecord(tool) ?? {})) {
    const name = findName(toolsNotOffered, given)
    if (value === null || !Object.hasOwn(toolsNotOffered, name)) continue
    const param = `${place}.${given}`
    throw invalidRequest(param, `${param} is not offered. ${toolsNotOffered[name]}`)
  }
}

/** Parsers differ in which of two equal names they use: the upstream might use the one that was not checked. */
function inspect(bytes: Uint8Array): { modelNames: readonly ModelName[] } {
  const modelNames: ModelName[] = []
  walkJson(bytes, {
    member: (path, start, end) => {
      if (!isModelName(path)) return
      const name: unknown = JSON.parse(Buffer.from(bytes.subarray(start, end)).toString())
      if (typeof name === 'string') modelNames.push({ start, end, name })
    },
    repeated: path => {
      const param = path.join('.').slice(0, 200)
      throw invalidRequest(param, `${param} is given twice.`)
    },
  })
  return { modelNames }
}

function isModelName(path: JsonPath): boolean {
  const [first, second, third] = path
  if (path.length === 1) return first === 'model'
  if (path.length === 2)
    return (first === 'generateContentRequest' || first === 'generate_content_request') && second === 'model'
  return path.length === 3 && first === 'requests' && typeof second === 'number' && third === 'model'
}

/**
 * The body with the upstream's model id in place of ours; every other byte stays as it was sent. `find`: the model that a name means.
 * Throws ApiError `invalid_request` for a model other than that of the path, which is the one that is priced.
 */
export function replaceModels(
  body: { readonly bytes: Uint8Array; readonly modelNames: readonly ModelName[] },
  model: CatalogModel,
  find: (name: string) => CatalogModel | undefined,
): Uint8Array {
  if (body.modelNames.length === 0) return body.bytes
  const pieces: Uint8Array[] = []
  const replacement = Buffer.from(JSON.stringify(`models/${model.upstreamId}`))
  let from = 0
  for (const { start, end, name } of body.modelNames) {
    if (find(name.replace(/^models\//, ''))?.id !== model.id) {
      throw invalidRequest(
        'model',
        `model must be models/${model.id}, the model in the path, by its name here.`,
      )
    }
    pieces.push(body.bytes.subarray(from, start), replacement)
    from = end
  }
  return Buffer.concat([...pieces, body.bytes.subarray(from)])
}

// Proto-JSON accepts each member in camelCase and in snake_case: converts a body to camelCase, as far as its schema knows it.

/**
 * A copy with the names of the schema. Unknown members keep their name, for the validation to refuse. Null means "not given" to the
 * vendor and is left out. Throws ApiError `invalid_request` for a member given in both spellings, since it is unknown which one the
 * vendor reads.
 */
function readProtoJson(schema: TSchema, value: unknown, place = ''): unknown {
  if (Array.isArray(value)) {
    const items = memberSchema(schema, 'items')
    if (items === undefined) return value
    return value.map((item, index) => readProtoJson(items, item, `${place}[${index}]`))
  }
  const record = asRecord(value)
  const properties = asRecord('properties' in schema ? schema.properties : undefined)
  if (record === null || properties === null) return value
  const members = new Map<string, unknown>()
  for (const [given, member] of Object.entries(record)) {
    if (member === null) continue
    const name = findName(properties, given)
    const path = place === '' ? name : `${place}.${name}`
    if (members.has(name)) {
      throw invalidRequest(path, `${path} is given in both spellings.`)
    }
    const known = memberSchema(properties, name)
    members.set(name, known === undefined ? member : readProtoJson(known, member, path))
  }
  return Object.fromEntries(members)
}

function findName(properties: object, given: string): string {
  if (Object.hasOwn(properties, given) || !given.includes('_')) return given
  const camel = given.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  return Object.hasOwn(properties, camel) ? camel : given
}

function memberSchema(owner: object, name: string): TSchema | undefined {
  if (!Object.hasOwn(owner, name)) return undefined
  return asRecord(Object.getOwnPropertyDescriptor(owner, name)?.value) ?? undefined
}
