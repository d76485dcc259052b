// The last branch of a union in a dialect that gains types each week: an object whose `type` is none of the known ones.
import Type from 'typebox'

/** As a type it is a tag that nothing has, so that a `switch` narrows the known branches. */
type UnknownType = { readonly type: '' }

export function unknownType(known: readonly string[]) {
  return Type.Unsafe<UnknownType>(
    Type.Object({ type: otherThan(known) }, { description: 'Any other type is left out' }),
  )
}

export function otherThan(known: readonly string[]) {
  return Type.Refine(
    Type.String({ minLength: 1, maxLength: 200 }),
    type => !known.includes(type),
    () => 'must be another type',
  )
}
