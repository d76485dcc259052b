// The curl example of an operation: what is required, with values that work where the schemas name some.
import type { Operation, ShownSchema } from './openapi.ts'
import type { SecurityScheme } from './route-family.ts'

export type ExampleFacts = {
  readonly method: string
  readonly path: string
  /** The door's address, without a slash at its end. */
  readonly url: string
  readonly scheme: SecurityScheme | undefined
  readonly operation: Operation
}

/** `<secret>` stands for the credential, `<name>` for what only the caller knows. */
export function writeCurl({ method, path, url, scheme, operation }: ExampleFacts): string {
  const body = bodyOf(operation)
  const address = `${url}${fillPath(path, operation)}${writeQuery(operation)}`
  const credential = scheme?.type === 'apiKey' ? `${scheme.name}: <secret>` : 'Authorization: Bearer <secret>'
  const file = saves(operation)
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoteShell(address)}`,
    `-H ${quoteShell(credential)}`,
    ...(body === undefined ? [] : writeBody(body)),
    ...(file === null ? [] : [`-o ${file}`]),
  ].join(' \\\n  ')
}

export type ShownBody = { readonly mediaType: string; readonly schema: ShownSchema }

/** The first form of the body. */
export function bodyOf({ requestBody }: Operation): ShownBody | undefined {
  const [first] = Object.entries(requestBody?.content ?? {})
  return first === undefined ? undefined : { mediaType: first[0], schema: first[1].schema }
}

function fillPath(path: string, { parameters = [] }: Operation): string {
  return path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    return parameters.find(each => each.in === 'path' && each.name === name)?.example ?? whole
  })
}

/** What must be given, and what is worth showing. */
function writeQuery({ parameters = [] }: Operation): string {
  const shown = parameters.filter(
    each => each.in === 'query' && (each.required || each.schema.examples !== undefined),
  )
  const pairs = shown.map(({ name, schema }) => `${name}=${String(buildExample(schema, name))}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

const fileNames: Readonly<Record<string, string>> = { 'audio/mpeg': 'speech.mp3', 'video/mp4': 'video.mp4' }

/** Where a reply that no terminal can show is put. */
function saves({ responses }: Operation): string | null {
  const [mediaType = ''] = Object.keys(responses[200]?.content ?? {})
  return fileNames[mediaType] ?? null
}

function writeBody({ mediaType, schema }: ShownBody): string[] {
  const example = buildExample(schema)
  if (mediaType !== 'multipart/form-data')
    return [`-H 'Content-Type: application/json'`, `-d ${quoteShell(JSON.stringify(example))}`]
  return Object.entries(example ?? {}).map(([name, value]) => `-F ${quoteShell(`${name}=${String(value)}`)}`)
}

function quoteShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** The schema's own example or default where it has one; required members only. */
function buildExample(schema: unknown, name = ''): unknown {
  if (!isSchema(schema)) return 'text'
  const { examples, default: preset, enum: values, const: constant, anyOf: branches } = schema
  if (Array.isArray(examples) && examples.length > 0) return examples[0]
  if (preset !== undefined) return preset
  if (constant !== undefined) return constant
  if (Array.isArray(values)) return values[0]
  if (Array.isArray(branches)) return buildExample(branches[0], name)
  switch (schema.type) {
    case 'object':
      return buildObject(schema)
    case 'array':
      return [buildExample(schema.items, name)]
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1
    case 'boolean':
      return true
    default:
      return name === '' ? 'text' : `<${name}>`
  }
}

function buildObject(schema: ShownSchema): Record<string, unknown> {
  const { properties, required } = schema
  if (!isSchema(properties) || !Array.isArray(required)) return {}
  return Object.fromEntries(
    required.map(name => [String(name), buildExample(properties[String(name)], String(name))]),
  )
}

function isSchema(value: unknown): value is ShownSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
