// Writes the OpenAPI document for clients: a part that occurs in multiple places becomes a component, and the places refer to it.
// Aliases alone repeat half of all operations.
import {
  type Content,
  type OpenapiDocument,
  type Operation,
  type Parameter,
  type RequestBody,
  runtimeReplies,
  type ShownReply,
} from './openapi.ts'
import type { ShownSchema } from './reply-headers.ts'

type Reference = { readonly $ref: string }

/** Characters of JSON. A shorter part is barely longer than its reference, or reads better in place. */
const leastShared = { parameters: 150, requestBodies: 150, responses: 150, schemas: 300 } as const

/** A document of the same meaning, with each repeated part once among its components. */
export function shareComponents(document: OpenapiDocument): object {
  const { schemas, ...others } = document.components
  const shelves = new Shelves(schemas)
  const operations = Object.values(document.paths).flatMap(methods => Object.values(methods))
  for (const operation of operations) shelves.count(operation)
  const paths = mapMembers(document.paths, methods =>
    mapMembers(methods, operation => shelves.share(operation)),
  )
  return { ...document, paths, components: { ...others, ...shelves.components } }
}

/** Counts the parts of all operations, then writes each operation with references to the repeated ones. */
class Shelves {
  readonly #parameters = new Shelf<Parameter>('parameters')
  readonly #bodies = new Shelf<RequestBody>('requestBodies')
  readonly #replies = new Shelf<ShownReply>('responses')
  readonly #schemas: Shelf<ShownSchema>

  /** `schemas`: those that are already components. */
  constructor(schemas: OpenapiDocument['components']['schemas']) {
    this.#schemas = new Shelf<ShownSchema>('schemas', schemas)
  }

  count({ operationId, parameters = [], requestBody, responses }: Operation): void {
    for (const parameter of parameters)
      if (this.#parameters.count(parameter, parameter.name))
        this.#countSchema(parameter.schema, parameter.name)
    if (requestBody !== undefined && this.#bodies.count(requestBody, operationId))
      this.#countContent(requestBody.content, operationId)
    for (const [status, reply] of Object.entries(responses)) {
      const name = nameReply(operationId, status, reply)
      if (this.#replies.count(reply, name)) this.#countContent(reply.content, name)
    }
  }

  share(operation: Operation): object {
    const { parameters, requestBody, responses } = operation
    return {
      ...operation,
      ...(parameters && { parameters: parameters.map(this.#shareParameter) }),
      ...(requestBody && { requestBody: this.#bodies.share(requestBody, this.#writeContent) }),
      responses: mapMembers(responses, reply => this.#replies.share(reply, this.#writeContent)),
    }
  }

  get components() {
    return {
      parameters: this.#parameters.components,
      requestBodies: this.#bodies.components,
      responses: this.#replies.components,
      schemas: this.#schemas.components,
    }
  }

  #countContent(content: Content | undefined, name: string): void {
    for (const { schema } of Object.values(content ?? {})) this.#countSchema(schema, name)
  }

  /** The contents of a repeated schema are not counted again. */
  #countSchema(schema: ShownSchema, name: string): void {
    const inner = listSchemas(schema)
    if (inner.length === 0 || !this.#schemas.count(schema, name)) return
    for (const { member, schema: each } of inner)
      this.#countSchema(each, member === null ? name : `${name}_${member.replaceAll(/[^\w.-]/g, '')}`)
  }

  readonly #shareParameter = (parameter: Parameter): object =>
    this.#parameters.share(parameter, ({ schema, ...others }) => ({
      ...others,
      schema: this.#shareSchema(schema),
    }))

  readonly #writeContent = <Part extends { readonly content?: Content }>(part: Part): object =>
    part.content === undefined
      ? part
      : {
          ...part,
          content: mapMembers(part.content, ({ schema }) => ({ schema: this.#shareSchema(schema) })),
        }

  readonly #shareSchema = (schema: ShownSchema): object =>
    this.#schemas.share(schema, whole => mapSchemas(whole, this.#shareSchema))
}

/** An error is named by its schema and status: most operations share it. */
function nameReply(operationId: string, status: string, { content }: ShownReply): string {
  if (status in runtimeReplies) return `Runtime${status}`
  const [, errorName] = /\/(\w+)$/.exec(String(content?.['application/json']?.schema.$ref)) ?? []
  return errorName === undefined ? `${operationId}_${status}` : `${errorName}${status}`
}

type Placed = { readonly name: string; readonly isLong: boolean; count: number; reference: Reference | null }

/** The parts of one kind. A component is named after the first place where it occurs. */
class Shelf<Part extends object> {
  readonly components: Record<string, object>
  readonly #kind: keyof typeof leastShared
  readonly #byText = new Map<string, Placed>()
  /** The counted ones: text is written once for each, since that takes nearly all of the time. */
  readonly #byPart = new Map<Part, Placed>()

  constructor(kind: keyof typeof leastShared, placed: Readonly<Record<string, object>> = {}) {
    this.#kind = kind
    this.components = { ...placed }
  }

  /** True for a new part. */
  count(part: Part, name: string): boolean {
    const known = this.#byPart.get(part) ?? this.#find(part, name)
    known.count += 1
    return known.count === 1
  }

  /** The replacement of a counted part. `write`: writes its inner parts with references. */
  share(part: Part, write: (part: Part) => object): object {
    const placed = this.#byPart.get(part)
    if (placed === undefined || placed.count === 1 || !placed.isLong) return write(part)
    placed.reference ??= this.#place(placed.name, write(part))
    return placed.reference
  }

  #find(part: Part, name: string): Placed {
    const text = JSON.stringify(part)
    const isLong = text.length >= leastShared[this.#kind]
    const placed = this.#byText.get(text) ?? { name, isLong, count: 0, reference: null }
    this.#byText.set(text, placed)
    this.#byPart.set(part, placed)
    return placed
  }

  #place(name: string, component: object): Reference {
    let free = name
    for (let number = 2; Object.hasOwn(this.components, free); number += 1) free = `${name}_${number}`
    this.components[free] = component
    return { $ref: `#/components/${this.#kind}/${free}` }
  }
}

/** Keywords of JSON Schema 2020-12 that contain one schema or a list of them, and those that contain named ones. */
const holders = ['items', 'additionalProperties', 'not', 'anyOf', 'oneOf', 'allOf', 'prefixItems']
const holdersOfNamed = ['properties', 'patternProperties']

/** The direct child schemas. `member`: the name of a named one, otherwise null. */
function listSchemas(
  schema: ShownSchema,
): { readonly member: string | null; readonly schema: ShownSchema }[] {
  const unnamed = holders.flatMap(keyword => schema[keyword] ?? []).map(value => ({ member: null, value }))
  const named = holdersOfNamed.flatMap(keyword =>
    Object.entries(schema[keyword] ?? {}).map(([member, value]) => ({ member, value })),
  )
  return [...unnamed, ...named].flatMap(({ member, value }) =>
    isSchema(value) ? { member, schema: value } : [],
  )
}

/** A copy in which each of them is replaced by `map`. */
function mapSchemas(schema: ShownSchema, map: (inner: ShownSchema) => object): ShownSchema {
  const mapOne = (value: unknown) => (isSchema(value) ? map(value) : value)
  const copy: Record<string, unknown> = { ...schema }
  for (const keyword of holders) {
    const value = copy[keyword]
    if (value !== undefined) copy[keyword] = Array.isArray(value) ? value.map(mapOne) : mapOne(value)
  }
  for (const keyword of holdersOfNamed) {
    const value = copy[keyword]
    if (isSchema(value)) copy[keyword] = mapMembers(value, mapOne)
  }
  return copy
}

function isSchema(value: unknown): value is ShownSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function mapMembers<Value, Mapped>(
  members: Readonly<Record<string, Value>>,
  map: (value: Value) => Mapped,
): Record<string, Mapped> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, map(value)]))
}
