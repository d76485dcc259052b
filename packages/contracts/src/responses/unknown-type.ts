// Last branch of a union in a dialect that gains types every week: an object with an unknown `type`.
import Type from 'typebox'

/** Tag that no value has, so that a `switch` narrows the known branches. */
type UnknownType = { readonly type: '' }

export function unknownType(known: readonly string[]) {
  return Type.Unsafe<UnknownType>(
    Type.Object({ type: otherThan(known) }, { description: 'Items of other types are ignored' }),
  )
}

export function otherThan(known: readonly string[]) {
  return Type.Refine(
    Type.String({ minLength: 1, maxLength: 200 }),
    type => !known.includes(type),
    () => 'must be another type',
  )
}
