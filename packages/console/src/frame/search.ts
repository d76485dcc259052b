// Parses and writes the query of an address as plain texts, which makes every view shareable as a link.

/** The parameters that a screen knows; others are dropped. */
export type Search<Name extends string> = { readonly [Each in Name]?: string | undefined }

export function searchOf<const Name extends string>(...names: readonly Name[]) {
  return (given: Record<string, unknown>): Search<Name> => {
    const found: { [Each in Name]?: string } = {}
    for (const name of names) {
      const value = given[name]
      if (typeof value === 'string' && value !== '') found[name] = value
    }
    return found
  }
}

/** Every value stays a text, as in an ordinary address. */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text))
}

export function writeSearch(search: Record<string, unknown>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (typeof value === 'string' && value !== '') parameters.set(name, value)
  }
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}
