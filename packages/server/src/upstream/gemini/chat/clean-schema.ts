// Schemas as the vendor takes them, of a tool's arguments (`parametersJsonSchema`) and of an answer (`responseJsonSchema`): agents send the
// whole of JSON Schema, of which the vendor refuses or misreads much. What the vendor takes stays as it is, to the byte.
import { asArray, asRecord, type JsonRecord } from '../../narrow-json.ts'

/** Deeper schemas, and larger ones, are cut: anything may stand there. */
const deepest = 32
const mostNodes = 10_000

/** Passed as they are where they have the right type. Others than these and those below are left out. */
const texts = new Set(['title', 'description', 'pattern'])
const numbers = new Set(['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'])
const sizes = new Set(['minProperties', 'maxProperties'])
const anything = new Set(['default', 'example', 'examples'])
const formats = new Set(['enum', 'date-time', 'date', 'time', 'int32', 'int64', 'float', 'double'])
const types = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])

/** Which type a keyword is about, for types that are given as a list. */
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

/** Null for a function without arguments: the vendor wants no schema then. The same object where nothing is to be cleaned. */
export function cleanSchema(schema: JsonRecord): JsonRecord | null {
  const cleaned = toObject(new Cleaner(schema, false).clean())
  const takesNone = Object.keys(asRecord(cleaned.properties) ?? {}).length === 0
  const takesOthers = cleaned.additionalProperties !== undefined && cleaned.additionalProperties !== false
  return takesNone && !takesOthers ? null : cleaned
}

/**
 * The schema of an answer, of any type. The vendor documents more for it (@google/genai 2.32.0, `responseJsonSchema`): numbers in `enum`,
 * `prefixItems`, `oneOf`, `$id`, `$anchor`, and circles through properties that are not required; but nothing beside a reference.
 */
export function cleanAnswerSchema(schema: JsonRecord): JsonRecord {
  return new Cleaner(schema, true).clean()
}

/** One per schema: it knows the root, to which references point. */
class Cleaner {
  readonly #root: JsonRecord
  readonly #isAnswer: boolean
  readonly #reachable = new Map<string, ReadonlySet<string>>()
  #nodesLeft = mostNodes

  constructor(root: JsonRecord, isAnswer: boolean) {
    this.#root = root
    this.#isAnswer = isAnswer
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
    this.#nodesLeft -= 1
    if (node === null || depth > deepest || this.#nodesLeft < 0) return anyValue
    if (typeof node.$ref === 'string') return this.#cleanReference(node, node.$ref, path, depth)
    return this.#cleanMembers(this.#flatten(node, path, depth), path, depth)
  }

  /** A definition of the root stays a reference; any other place is written out; what leads back to itself is cut. */
  #cleanReference(node: JsonRecord, reference: string, path: readonly string[], depth: number): JsonRecord {
    const { $ref: _, ...beside } = node
    const target = this.#find(reference)
    if (target === null) return this.#cleanMembers(beside, path, depth)
    const reachable = this.#reach(reference)
    const isRoot = reference === '#'
    const isCircle =
      (isRoot && !this.#isAnswer) || path.some(step => step === reference || reachable.has(step))
    if (isCircle) return this.#cleanMembers({ ...beside, type: typeOf(target) }, path, depth)
    if (this.#isAnswer && (isRoot || isDefinition(reference))) return sameOr(node, { $ref: reference })
    if (isDefinition(reference))
      return sameOr(node, { $ref: reference, ...this.#cleanMembers(beside, path, depth) })
    return this.#cleanAny({ ...target, ...beside }, [...path, reference], depth + 1)
  }

  #cleanMembers(node: JsonRecord, path: readonly string[], depth: number): JsonRecord {
    const properties = asRecord(node.properties)
    const members = Object.entries(node).flatMap(([key, value]): [string, unknown][] => {
      switch (key) {
        case '$defs':
          return value === this.#root.$defs ? [[key, this.#cleanDefinitions(value)]] : []
        case 'properties':
          return properties === null
            ? []
            : [[key, this.#cleanProperties(properties, node.required, path, depth)]]
        case 'items':
          return [[key, this.#cleanItems(value, path, depth)]]
        case 'prefixItems':
          if (this.#isAnswer) return this.#cleanChoices(key, value, path, depth)
          return node.items === undefined ? [['items', this.#cleanItems(value, path, depth)]] : []
        case 'anyOf':
        case 'oneOf':
          if (key === 'oneOf' && node.anyOf !== undefined) return []
          return this.#cleanChoices(this.#isAnswer ? key : 'anyOf', value, path, depth)
        case 'additionalProperties':
          if (typeof value === 'boolean') return [[key, value]]
          return asRecord(value) === null ? [] : [[key, this.#cleanAny(value, path, depth + 1)]]
        case 'required': {
          const names = Array.isArray(value) ? keepWhere(value, name => isName(name, properties)) : null
          return names === null ? [] : [[key, names]]
        }
        case '$id':
        case '$anchor':
          return this.#isAnswer && typeof value === 'string' ? [[key, value]] : []
        default:
          return cleanPlain(key, value, node, this.#isAnswer)
      }
    })
    const cleaned = sameOr(node, Object.fromEntries(members))
    return this.#isAnswer ? cleaned : spreadTypes(cleaned)
  }

  #cleanDefinitions(value: unknown): JsonRecord {
    const definitions = asRecord(value) ?? {}
    const cleaned = Object.entries(definitions).map(
      ([name, definition]) => [name, this.#cleanAny(definition, [pointTo(name)], 1)] as const,
    )
    return sameOr(definitions, Object.fromEntries(cleaned))
  }

  #cleanProperties(
    properties: JsonRecord,
    required: unknown,
    path: readonly string[],
    depth: number,
  ): JsonRecord {
    const possible = Object.entries(properties).filter(([, value]) => value !== false)
    const names = new Set(asArray(required))
    // Through a property that an answer may leave out, a reference may lead back.
    const fromOptional = this.#isAnswer ? path.filter(step => step !== '#' && !isDefinition(step)) : path
    const cleaned = possible.map(
      ([name, value]) =>
        [name, this.#cleanAny(value, names.has(name) ? path : fromOptional, depth + 1)] as const,
    )
    return sameOr(properties, Object.fromEntries(cleaned))
  }

  /** A list of schemas is one for each position; the vendor knows one for all. */
  #cleanItems(items: unknown, path: readonly string[], depth: number): JsonRecord {
    if (!Array.isArray(items)) return this.#cleanAny(items, path, depth + 1)
    const [choices] = this.#cleanChoices('anyOf', items, path, depth)
    return choices === undefined ? anyValue : { anyOf: choices[1] }
  }

  #cleanChoices(key: string, value: unknown, path: readonly string[], depth: number): [string, unknown][] {
    if (!Array.isArray(value)) return []
    const possible = keepWhere(value, choice => choice !== false)
    const choices = possible.map(choice => this.#cleanAny(choice, path, depth + 1))
    if (choices.length === 0) return []
    const isSame = choices.length === value.length && choices.every((choice, at) => choice === value[at])
    return [[key, isSame ? value : choices]]
  }

  /** Schemas that must all fit become one. The first that says something about a property counts. */
  #flatten(node: JsonRecord, path: readonly string[], depth: number): JsonRecord {
    if (node.allOf === undefined) return node
    const { allOf, ...others } = node
    const merged: Record<string, unknown> = { ...others }
    for (const item of asArray(allOf)) {
      this.#nodesLeft -= 1
      const reference = asRecord(item)?.$ref
      const isReference = typeof reference === 'string'
      const target = isReference ? this.#find(reference) : asRecord(item)
      if (target === null || depth >= deepest || this.#nodesLeft < 0) continue
      if (isReference && (reference === '#' || path.includes(reference))) continue
      const inner = isReference ? [...path, reference] : path
      mergeInto(merged, this.#flatten(target, inner, depth + 1))
    }
    return merged
  }

  /** What a local reference points to; null for any other. */
  #find(reference: string): JsonRecord | null {
    if (reference !== '#' && !reference.startsWith('#/')) return null
    let found: unknown = this.#root
    for (const step of reference.split('/').slice(1)) {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
      const inside = Array.isArray(found) ? found : asRecord(found)
      if (inside === null || !Object.hasOwn(inside, name)) return null
      found = Reflect.get(inside, name)
    }
    return asRecord(found)
  }

  /** All references that can be met from one on; of an answer, those that must be met. */
  #reach(reference: string): ReadonlySet<string> {
    const known = this.#reachable.get(reference)
    if (known !== undefined) return known
    const reached = new Set<string>()
    const open = [reference]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const found of findReferences(this.#find(next), this.#isAnswer)) {
        if (reached.has(found)) continue
        reached.add(found)
        open.push(found)
      }
    }
    this.#reachable.set(reference, reached)
    return reached
  }
}

/** Anything may stand here. */
const anyValue: JsonRecord = {}

/** A keyword that holds no schema. */
function cleanPlain(
  key: string,
  value: unknown,
  node: JsonRecord,
  takesNumbers: boolean,
): [string, unknown][] {
  if (anything.has(key)) return [[key, value]]
  if (texts.has(key)) return typeof value === 'string' ? [[key, value]] : []
  if (numbers.has(key) || sizes.has(key)) return typeof value === 'number' ? [[key, value]] : []
  switch (key) {
    case 'type':
      return cleanType(value)
    case 'nullable':
      return typeof value === 'boolean' ? [[key, value]] : []
    case 'propertyOrdering':
      return Array.isArray(value) ? [[key, value]] : []
    case 'format':
      return typeof value === 'string' && formats.has(value) ? [[key, value]] : []
    case 'enum':
      return cleanEnum(value, takesNumbers)
    case 'const':
      return node.enum === undefined ? cleanEnum([value], takesNumbers) : []
    case 'exclusiveMinimum':
      return node.minimum === undefined ? includeLimit('minimum', value, node.type === 'integer' ? 1 : 0) : []
    case 'exclusiveMaximum':
      return node.maximum === undefined
        ? includeLimit('maximum', value, node.type === 'integer' ? -1 : 0)
        : []
    default:
      return []
  }
}

function cleanType(value: unknown): [string, unknown][] {
  const isKnown = (name: unknown) => typeof name === 'string' && types.has(name.toLowerCase())
  if (!Array.isArray(value)) return isKnown(value) ? [['type', value]] : []
  const names = [...new Set(value.filter(isKnown))]
  if (names.length === 0) return []
  if (names.length === 1) return [['type', names[0]]]
  return [['type', names.length === value.length ? value : names]]
}

/** The vendor takes no empty texts, and numbers only in answers. null beside them is said by the type. */
function cleanEnum(value: unknown, takesNumbers: boolean): [string, unknown][] {
  if (!Array.isArray(value)) return []
  const isChoice = (choice: unknown) =>
    typeof choice === 'string' || (takesNumbers && typeof choice === 'number')
  const choices = keepWhere(value, choice => isChoice(choice) && choice !== '')
  const isComplete = value.every(choice => isChoice(choice) || choice === null)
  return choices.length === 0 || !isComplete ? [] : [['enum', choices]]
}

function includeLimit(key: string, value: unknown, step: number): [string, unknown][] {
  return typeof value === 'number' ? [[key, value + step]] : []
}

/** A list of types becomes a choice of schemas; an array always says what it holds. */
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

/** The arguments of a function are an object, whatever else the schema says: a choice of objects becomes one that takes all of them. */
function toObject(root: JsonRecord): JsonRecord {
  if (typeof root.type === 'string' && root.type.toLowerCase() === 'object') return root
  const { type: _, anyOf, enum: __, items: ___, ...others } = root
  const merged: Record<string, unknown> = { type: 'object', ...others }
  const choices = asArray(anyOf)
    .map(asRecord)
    .filter(choice => choice !== null)
  const always = choices.map(choice => new Set(asArray(choice.required)))
  for (const { properties } of choices) mergeInto(merged, { properties })
  const required = asArray(choices[0]?.required).filter(name => always.every(names => names.has(name)))
  if (required.length > 0) mergeInto(merged, { required })
  return merged
}

function mergeInto(merged: Record<string, unknown>, other: JsonRecord): void {
  for (const [key, value] of Object.entries(other)) {
    if (value === undefined) continue
    if (key === 'properties') merged[key] = { ...asRecord(value), ...asRecord(merged[key]) }
    else if (key === 'required') merged[key] = [...new Set([...asArray(merged[key]), ...asArray(value)])]
    else if (key !== '$defs' && key !== '__proto__' && !Object.hasOwn(merged, key)) merged[key] = value
  }
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
  return /^#\/\$defs\/[^/]+$/.test(reference)
}

function typeOf(target: JsonRecord): unknown {
  return typeof target.type === 'string' ? target.type : 'object'
}

function findReferences(value: unknown, isAnswer: boolean): string[] {
  const found: string[] = []
  const open: unknown[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next !== 'object' || next === null) continue
    if ('$ref' in next && typeof next.$ref === 'string') found.push(next.$ref)
    for (const [key, inner] of Object.entries(next)) {
      if (!isAnswer) open.push(inner)
      else if (key !== '$defs') open.push(key === 'properties' ? pickRequired(inner, next) : inner)
    }
  }
  return found
}

function pickRequired(properties: unknown, node: object): unknown {
  const names = new Set('required' in node ? asArray(node.required) : [])
  return Object.entries(asRecord(properties) ?? {}).flatMap(([name, value]) =>
    names.has(name) ? [value] : [],
  )
}

/** In references, `~` and `/` of a name are written as `~0` and `~1`. */
function pointTo(definition: string): string {
  return `#/$defs/${definition.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** The original where nothing differs from it. */
function sameOr(original: JsonRecord, rebuilt: JsonRecord): JsonRecord {
  const keys = Object.keys(original)
  const others = Object.keys(rebuilt)
  const isSame = keys.length === others.length && keys.every(key => original[key] === rebuilt[key])
  return isSame ? original : rebuilt
}

function keepWhere(list: readonly unknown[], isKept: (item: unknown) => boolean): readonly unknown[] {
  return list.every(isKept) ? list : list.filter(isKept)
}
