// An OpenAPI document with each reference replaced by its target, for tests that read a door's document.
import type { OpenapiDocument } from '../openapi.ts'

/** Throws for a reference that leads nowhere. */
export function followReferences(served: unknown): OpenapiDocument {
  const follow = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(follow)
    if (typeof value !== 'object' || value === null) return value
    if ('$ref' in value) return follow(findPart(served, String(value.$ref)))
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, follow(member)]))
  }
  // The tests of the document compare it with this type.
  return follow(served) as OpenapiDocument
}

function findPart(document: unknown, reference: string): unknown {
  let part = document
  for (const name of reference.replace(/^#\//, '').split('/')) {
    const known = typeof part === 'object' && part !== null && Object.hasOwn(part, name)
    if (!known) throw new Error(`${reference} leads nowhere.`)
    part = Reflect.get(Object(part), name)
  }
  return part
}
