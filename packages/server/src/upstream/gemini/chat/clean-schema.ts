// Converts schemas for the vendor: of a tool's arguments (`parametersJsonSchema`) and of an answer (`responseJsonSchema`). Agents send
// all of JSON Schema, much of which the vendor refuses or misreads. Supported parts stay unchanged, to the byte.
import { asArray, asRecord, type JsonRecord } from '../../narrow-json.ts'
import { cleanPlain, keepWhere, type Member } from './clean-plain-keyword.ts'
import { type Circles, findCircles, measureOwnLength, survey } from './survey-schema.ts'

/** Deeper schemas are cut: any value is allowed there. */
const maxDepth = 32

/**
 * How long a schema may become when references are expanded: so many times its own length, and this many characters more. The rest is
 * cut. Without a bound 1,000 references to an object of 10,000 members made ten million members.
 */
const maxGrowth = 4
const spareLength = 4000

/** The type that a keyword is about, for types that are given as a list. */
const typesOf: Readonly<Record<string, readonly string[]>> = {
  pattern: ['string'],
  minLength: ['string'],
  maxLength: ['string'],
  format: ['string', 'number', 'integer'],
  enum: ['string'],
  minimum: ['number', 'integer'],
  maximum: ['number', 'integer'],
  items: ['array'],
  minItems: ['array'],
  maxItems: ['array'],
  properties: ['object'],
  required: ['object'],
  additionalProperties: ['object'],
  propertyOrdering: ['object'],
  minProperties: ['object'],
  maxProperties: ['object'],
}

/** A call is measured and then sent: each of its schemas is requested twice. */
const cleanedSchemas = new WeakMap<JsonRecord, JsonRecord | null>()

/** Null for a function without arguments: the vendor accepts no schema then. The same object if nothing has to change. */
export function cleanSchema(schema: JsonRecord): JsonRecord | null {
  const known = cleanedSchemas.get(schema)
  if (known !== undefined) return known
  const cleaned = cleanArguments(schema)
  cleanedSchemas.set(schema, cleaned)
  return cleaned
}

function cleanArguments(schema: JsonRecord): JsonRecord | null {
  const cleaned = toObject(new Cleaner(schema, false).clean())
  const takesNone = Object.keys(asRecord(cleaned.properties) ?? {}).length === 0
  const takesOthers = cleaned.additionalProperties !== undefined && cleaned.additionalProperties !== false
  return takesNone && !takesOthers ? null : cleaned
}

/**
 * The schema of an answer, of any type. The vendor documents more for it (@google/genai 2.32.0, `responseJsonSchema`): numbers in `enum`,
 * `prefixItems`, `oneOf`, `$id`, `$anchor`, and circles through properties that are not required; but nothing next to a reference.
 */
export function cleanAnswerSchema(schema: JsonRecord): JsonRecord {
  return new Cleaner(schema, true).clean()
}

/** One per schema: it knows the root, to which references point. */
class Cleaner {
  readonly #root: JsonRecord
  readonly #isAnswer: boolean
  /** The target of each reference met so far. */
  readonly #targets = new Map<string, JsonRecord | null>()
  /** Found at the first reference that could lead back. */
  #circles: Circles | null = null
  /** The places met so far, so that each is measured once. */
  readonly #lengths = new Map<object, number>()
  /** Infinite if no reference is expanded. */
  #lengthLeft: number

  constructor(root: JsonRecord, isAnswer: boolean) {
    this.#root = root
    this.#isAnswer = isAnswer
    const { length, canGrow } = survey(root)
    this.#lengthLeft = canGrow ? maxGrowth * length + spareLength : Number.POSITIVE_INFINITY
  }

  clean(): JsonRecord {
    const { $ref: reference, ...beside } = this.#root
    const start = this.#isAnswer ? ['#'] : []
    if (typeof reference !== 'string')
      return this.#cleanMembers(this.#flatten(this.#root, start, 0), start, 0)
    const path = [...start, reference]
    const whole = { ...this.#find(reference), ...beside }
    return this.#cleanMembers(this.#flatten(whole, path, 0), path, 0)
  }

  /** `path`: the references that led here. */
  #cleanAny(value: unknown, path: readonly string[], depth: number): JsonRecord {
    const node = asRecord(value)
    if (node === null || depth > maxDepth || !this.#afford(node)) return anyValue
    if (typeof node.$ref === 'string') return this.#cleanReference(node, node.$ref, path, depth)
    return this.#cleanMembers(this.#flatten(node, path, depth), path, depth)
  }

  /** A definition of the root stays a reference; any other place is expanded; a reference that leads back to itself is cut. */
  #cleanReference(node: JsonRecord, reference: string, path: readonly string[], depth: number): JsonRecord {
    const { $ref: _, ...beside } = node
    const target = this.#find(reference)
    if (target === null) return this.#cleanMembers(beside, path, depth)
    const isRoot = reference === '#'
    const isCircle = (isRoot && !this.#isAnswer) || path.some(step => this.#isCircle(step, reference, target))
    if (isCircle) return this.#cleanMembers({ ...beside, type: typeOf(target) }, path, depth)
    if (this.#isAnswer && (isRoot || isDefinition(reference))) return sameOr(node, { $ref: reference })
    if (isDefinition(reference))
      return sameOr(node, { $ref: reference, ...this.#cleanMembers(beside, path, depth) })
    return this.#cleanAny({ ...target, ...beside }, [...path, reference], depth + 1)
  }

  #cleanMembers(node: JsonRecord, path: readonly string[], depth: number): JsonRecord {
    const cleaned: Record<string, unknown> = {}
    let isSame = true
    for (const key of Object.keys(node)) {
      const value = node[key]
      const member = this.#cleanMember(key, value, node, path, depth)
      isSame &&= member !== null && member[0] === key && member[1] === value
      if (member !== null) cleaned[member[0]] = member[1]
    }
    const whole = isSame ? node : cleaned
    return this.#isAnswer ? whole : spreadTypes(whole)
  }

  #cleanMember(
    key: string,
    value: unknown,
    node: JsonRecord,
    path: readonly string[],
    depth: number,
  ): Member {
    switch (key) {
      case '$defs':
        return value === this.#root.$defs ? [key, this.#cleanDefinitions(value)] : null
      case 'properties': {
        const properties = asRecord(value)
        return properties && [key, this.#cleanProperties(properties, node.required, path, depth)]
      }
      case 'items':
        return [key, this.#cleanItems(value, path, depth)]
      case 'prefixItems':
        if (this.#isAnswer) return this.#cleanChoices(key, value, path, depth)
        return node.items === undefined ? ['items', this.#cleanItems(value, path, depth)] : null
      case 'anyOf':
      case 'oneOf':
        if (key === 'oneOf' && node.anyOf !== undefined) return null
        return this.#cleanChoices(this.#isAnswer ? key : 'anyOf', value, path, depth)
      case 'additionalProperties':
        if (typeof value === 'boolean') return [key, value]
        return asRecord(value) === null ? null : [key, this.#cleanAny(value, path, depth + 1)]
      case 'required': {
        const properties = asRecord(node.properties)
        return Array.isArray(value) ? [key, keepWhere(value, name => isName(name, properties))] : null
      }
      case '$id':
      case '$anchor':
        return this.#isAnswer && typeof value === 'string' ? [key, value] : null
      default:
        return cleanPlain(key, value, node, this.#isAnswer)
    }
  }

  #cleanDefinitions(value: unknown): JsonRecord {
    return mapMembers(asRecord(value) ?? {}, (definition, name) =>
      this.#cleanAny(definition, [pointTo(name)], 1),
    )
  }

  #cleanProperties(
    properties: JsonRecord,
    required: unknown,
    path: readonly string[],
    depth: number,
  ): JsonRecord {
    const names = this.#isAnswer ? new Set(asArray(required)) : null
    // Through a property that an answer may leave out, a reference may lead back.
    const fromOptional = this.#isAnswer ? path.filter(step => step !== '#' && !isDefinition(step)) : path
    return mapMembers(properties, (value, name) =>
      value === false
        ? undefined
        : this.#cleanAny(value, names?.has(name) === true ? path : fromOptional, depth + 1),
    )
  }

  /** A list of schemas has one for each position; the vendor supports one for all. */
  #cleanItems(items: unknown, path: readonly string[], depth: number): JsonRecord {
    if (!Array.isArray(items)) return this.#cleanAny(items, path, depth + 1)
    const choices = this.#cleanChoices('anyOf', items, path, depth)
    return choices === null ? anyValue : { anyOf: choices[1] }
  }

  #cleanChoices(key: string, value: unknown, path: readonly string[], depth: number): Member {
    if (!Array.isArray(value)) return null
    const possible = keepWhere(value, choice => choice !== false)
    const choices = possible.map(choice => this.#cleanAny(choice, path, depth + 1))
    if (choices.length === 0) return null
    const isSame = choices.length === value.length && choices.every((choice, at) => choice === value[at])
    return [key, isSame ? value : choices]
  }

  /** Schemas that must all match become one. The first that defines a property counts. */
  #flatten(node: JsonRecord, path: readonly string[], depth: number): JsonRecord {
    return node.allOf === undefined ? node : mergeSchemas(this.#listParts(node, path, depth))
  }

  /** The schema itself, then those that must match too. */
  *#listParts(node: JsonRecord, path: readonly string[], depth: number): Generator<JsonRecord> {
    const { allOf, ...own } = node
    yield own
    for (const item of asArray(allOf)) {
      const reference = asRecord(item)?.$ref
      const isReference = typeof reference === 'string'
      const target = isReference ? this.#find(reference) : asRecord(item)
      if (target === null || depth >= maxDepth || !this.#afford(target)) continue
      if (isReference && (reference === '#' || path.includes(reference))) continue
      yield* this.#listParts(target, isReference ? [...path, reference] : path, depth + 1)
    }
  }

  /** Counts a place that is about to be written. False if no length is left for it. */
  #afford(place: JsonRecord): boolean {
    if (this.#lengthLeft === Number.POSITIVE_INFINITY) return true
    if (this.#lengthLeft < 0) return false
    const known = this.#lengths.get(place)
    const length = known ?? measureOwnLength(place)
    if (known === undefined) this.#lengths.set(place, length)
    this.#lengthLeft -= length
    return true
  }

  /** The target of a local reference; null for any other. */
  #find(reference: string): JsonRecord | null {
    const known = this.#targets.get(reference)
    if (known !== undefined) return known
    const target = this.#follow(reference)
    this.#targets.set(reference, target)
    return target
  }

  #follow(reference: string): JsonRecord | null {
    if (reference !== '#' && !reference.startsWith('#/')) return null
    let found: unknown = this.#root
    const steps = reference.includes('~') ? reference.split('/').map(unescapeStep) : reference.split('/')
    for (const name of steps.slice(1)) {
      const inside = Array.isArray(found) ? found : asRecord(found)
      if (inside === null || !Object.hasOwn(inside, name)) return null
      found = Reflect.get(inside, name)
    }
    return asRecord(found)
  }

  /** True when each of the two leads to the other. */
  #isCircle(step: string, reference: string, target: JsonRecord): boolean {
    if (step === reference) return true
    const from = this.#find(step)
    if (from === null) return false
    this.#circles ??= findCircles(this.#root, each => this.#find(each), this.#isAnswer)
    return this.#circles.get(from) === this.#circles.get(target)
  }
}

/** Any value is allowed here. */
const anyValue: JsonRecord = {}

/** A list of types becomes a choice of schemas; an array always names its items. */
function spreadTypes(node: JsonRecord): JsonRecord {
  if (!Array.isArray(node.type))
    return isArrayType(node.type) && node.items === undefined ? { ...node, items: {} } : node
  const { type: list, ...others } = node
  if (others.anyOf !== undefined) return others
  const shared = Object.entries(others).filter(([key]) => typesOf[key] === undefined)
  const anyOf = list.map(type => {
    const own = Object.entries(others).filter(([key]) => typesOf[key]?.includes(String(type).toLowerCase()))
    return spreadTypes({ type, ...Object.fromEntries(own) })
  })
  return { ...Object.fromEntries(shared), anyOf }
}

/** The arguments of a function are an object, no matter what else the schema says: a choice of objects becomes one that accepts all of them. */
function toObject(root: JsonRecord): JsonRecord {
  if (typeof root.type === 'string' && root.type.toLowerCase() === 'object') return root
  const { type: _, anyOf, enum: __, items: ___, ...others } = root
  const choices = asArray(anyOf)
    .map(asRecord)
    .filter(choice => choice !== null)
  const required = listAlwaysRequired(choices)
  return mergeSchemas([
    { type: 'object', ...others },
    ...choices.map(({ properties }) => ({ properties })),
    ...(required.length > 0 ? [{ required }] : []),
  ])
}

/** The names that every choice requires, in the order of the first. */
function listAlwaysRequired(choices: readonly JsonRecord[]): readonly unknown[] {
  const times = new Map<unknown, number>()
  for (const choice of choices)
    for (const name of new Set(asArray(choice.required))) times.set(name, (times.get(name) ?? 0) + 1)
  return asArray(choices[0]?.required).filter(name => times.get(name) === choices.length)
}

/** One schema with the contents of all. The first that defines a property counts; definitions are those of the first. */
function mergeSchemas(parts: Iterable<JsonRecord>): JsonRecord {
  const merged = new Map<string, unknown>()
  const properties = new Map<string, unknown>()
  const required = new Set<unknown>()
  let isFirst = true
  for (const part of parts) {
    for (const [key, value] of Object.entries(part)) {
      if (value === undefined || (key === '$defs' && !isFirst) || key === '__proto__') continue
      if (key === 'properties') {
        for (const [name, schema] of Object.entries(asRecord(value) ?? {}))
          if (!properties.has(name)) properties.set(name, schema)
      } else if (key === 'required') for (const name of asArray(value)) required.add(name)
      if (!merged.has(key)) merged.set(key, value)
    }
    isFirst = false
  }
  if (merged.has('properties')) merged.set('properties', Object.fromEntries(properties))
  if (merged.has('required')) merged.set('required', [...required])
  return Object.fromEntries(merged)
}

function isArrayType(type: unknown): boolean {
  return typeof type === 'string' && type.toLowerCase() === 'array'
}

function isName(name: unknown, properties: JsonRecord | null): boolean {
  return (
    typeof name === 'string' &&
    properties !== null &&
    Object.hasOwn(properties, name) &&
    properties[name] !== false
  )
}

function isDefinition(reference: string): boolean {
  return reference.startsWith('#/$defs/') && reference.length > 8 && !reference.includes('/', 8)
}

function typeOf(target: JsonRecord): unknown {
  return typeof target.type === 'string' ? target.type : 'object'
}

/** In references, `~` and `/` of a name are written as `~0` and `~1`. */
function pointTo(definition: string): string {
  const name = /[~/]/.test(definition) ? definition.replaceAll('~', '~0').replaceAll('/', '~1') : definition
  return `#/$defs/${name}`
}

function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** The members as returned by `change`, without undefined ones; the same object if it changes none. */
function mapMembers(members: JsonRecord, change: (value: unknown, name: string) => unknown): JsonRecord {
  let changed: [string, unknown][] | null = null
  const names = Object.keys(members)
  for (const [at, name] of names.entries()) {
    const value = members[name]
    const kept = change(value, name)
    if (kept === value && changed === null) continue
    changed ??= names.slice(0, at).map(before => [before, members[before]])
    if (kept !== undefined) changed.push([name, kept])
  }
  return changed === null ? members : Object.fromEntries(changed)
}

/** The original if nothing differs from it. */
function sameOr(original: JsonRecord, rebuilt: JsonRecord): JsonRecord {
  const keys = Object.keys(original)
  const others = Object.keys(rebuilt)
  const isSame = keys.length === others.length && keys.every(key => original[key] === rebuilt[key])
  return isSame ? original : rebuilt
}
