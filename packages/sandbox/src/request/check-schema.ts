// Checks the schema of a function's `parameters` as the vendor does: a subset of OpenAPI that lacks parts of JSON Schema.
import { invalid, isObject, member, optionalText, refuseUnknown, requireObject } from '../json.ts'

const schemaNames = new Set([
  'type',
  'format',
  'title',
  'description',
  'nullable',
  'default',
  'enum',
  'items',
  'properties',
  'required',
  'propertyOrdering',
  'anyOf',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
  'minimum',
  'maximum',
  'pattern',
  'example',
])

/** `place`: as errors name it. Throws VendorError 400. */
export function checkSchema(value: unknown, place: string): void {
  const schema = requireObject(value, `'${place}'`)
  refuseUnknown(schema, schemaNames, ` at '${place}'`)
  const type = (optionalText(schema, 'type') ?? '').toUpperCase()
  const format = optionalText(schema, 'format') ?? ''
  if (type === 'STRING' && !['', 'enum', 'date-time'].includes(format))
    throw invalid(
      `* GenerateContentRequest.${place}.format: only 'enum' and 'date-time' are supported for STRING type`,
    )
  const items = member(schema, 'items')
  if (items !== undefined) checkSchema(items, `${place}.items`)
  else if (type === 'ARRAY') throw invalid(`* GenerateContentRequest.${place}.items: missing field.`)
  const properties = member(schema, 'properties')
  if (isObject(properties))
    for (const [name, property] of Object.entries(properties))
      checkSchema(property, `${place}.properties[${name}]`)
  const required = member(schema, 'required')
  for (const [index, name] of Array.isArray(required) ? required.entries() : [])
    if (!isObject(properties) || !Object.hasOwn(properties, String(name)))
      throw invalid(`* GenerateContentRequest.${place}.required[${index}]: property is not defined`)
  const choices = member(schema, 'anyOf')
  if (!Array.isArray(choices)) return
  for (const [index, choice] of choices.entries()) checkSchema(choice, `${place}.any_of[${index}]`)
}
