// The word that takes a limit away, where an option otherwise takes a value.

/** Kept as the word while options are parsed: commander turns a parsed null into an empty text. */
export const none = 'none'
export type None = typeof none

export function orNone<Value>(parse: (text: string) => Value): (text: string) => Value | None {
  return text => (text === none ? none : parse(text))
}

/** What the admin door takes for the word. */
export function nullForNone<Value>(value: Value | None): Value | null {
  return value === none ? null : value
}
