// The id of an operation contains its whole outcome, so that a restarted sandbox still knows the videos that were ordered before.
import { hash } from '../media/hash.ts'

export type OperationFacts = {
  readonly model: string
  /** Unix ms. */
  readonly doneAt: number
  /** Tells orders of the same moment apart. */
  readonly number: number
  readonly width: number
  readonly height: number
  readonly seconds: number
  /** How many videos there will be. */
  readonly made: number
  readonly filtered: number
  /** The code of the error that it ends with; 0 for none. */
  readonly errorCode: number
}

/** Letters and digits, like the vendor's ids. The last eight depend on the key, so no other key finds the operation. */
export function writeOperationId(facts: OperationFacts, key: string): string {
  const text = `${writeFile(facts)}${Buffer.from(facts.model).toString('hex')}`
  return text + sign(text, key)
}

/** Null for what this key has not ordered. */
export function readOperationId(id: string, key: string): OperationFacts | null {
  const text = id.slice(0, -8)
  const facts = readFacts(text.slice(0, factsText.length))
  if (facts === null || sign(text, key) !== id.slice(-8)) return null
  return { ...facts, model: Buffer.from(text.slice(factsText.length), 'hex').toString() }
}

/** At most 40 letters and digits, which is what the vendor allows. */
export function writeFileId(facts: OperationFacts, index: number, key: string): string {
  const text = `${writeFile(facts)}${index.toString(36)}`
  return text + sign(text, key)
}

/** `key` is null for the storage, which needs none. */
export function readFileId(id: string, key: string | null): Omit<OperationFacts, 'model'> | null {
  const text = id.slice(0, -8)
  if (key !== null && sign(text, key) !== id.slice(-8)) return null
  return readFacts(text.slice(0, factsText.length))
}

/** How many base-36 digits each number has. */
const widths = {
  doneAt: 9,
  number: 4,
  width: 3,
  height: 3,
  seconds: 1,
  made: 1,
  filtered: 1,
  errorCode: 1,
} as const
const names = Object.keys(widths) as (keyof typeof widths)[]
const factsText = { length: Object.values(widths).reduce((sum, width) => sum + width, 0) }

function writeFile(facts: OperationFacts): string {
  return names.map(name => facts[name].toString(36).padStart(widths[name], '0').slice(-widths[name])).join('')
}

function readFacts(text: string): Omit<OperationFacts, 'model'> | null {
  if (text.length !== factsText.length || !/^[0-9a-z]+$/.test(text)) return null
  let at = 0
  const read = (name: keyof typeof widths): number => {
    const start = at
    at += widths[name]
    return Number.parseInt(text.slice(start, at), 36)
  }
  return {
    doneAt: read('doneAt'),
    number: read('number'),
    width: read('width'),
    height: read('height'),
    seconds: read('seconds'),
    made: read('made'),
    filtered: read('filtered'),
    errorCode: read('errorCode'),
  }
}

function sign(text: string, key: string): string {
  return hash(`operation ${text} of ${key}`).toString('hex').slice(0, 8)
}
