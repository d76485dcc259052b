// Maps a request's tool names to names that the vendor accepts, and back: dialects have namespaces, long names and any characters.
import { createHash } from 'node:crypto'

export type ToolNames = {
  /** A name that the vendor accepts; always the same for one tool of a request. */
  readonly toInner: (name: string, namespace?: string | null) => string
  /** A name that belongs to no tool of the request is returned as is: models invent some. */
  readonly toOuter: (inner: string) => OuterName
}

export type OuterName = { readonly name: string; readonly namespace: string | null }

/** The vendor's rule: a letter or `_` first, at most 64 characters. */
const longest = 64
const taken = /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/

/** One per request, shared by declarations, history and answer. */
export function createToolNames(): ToolNames {
  const inner = new Map<string, string>()
  const outer = new Map<string, OuterName>()
  return {
    toInner(name, namespace = null) {
      const key = JSON.stringify([namespace, name])
      const known = inner.get(key)
      if (known !== undefined) return known
      const chosen = chooseName(namespace === null ? name : `${namespace}__${name}`, key, outer)
      inner.set(key, chosen)
      outer.set(chosen, { name, namespace })
      return chosen
    },
    toOuter: name => outer.get(name) ?? { name, namespace: null },
  }
}

/** The name itself if the vendor accepts it and no other tool has it; otherwise its readable part and a hash. */
function chooseName(name: string, key: string, used: ReadonlyMap<string, unknown>): string {
  if (taken.test(name) && !used.has(name)) return name
  const readable = name.replace(/[^A-Za-z0-9_.:-]/g, '_').replace(/^(?![A-Za-z_])/, '_')
  for (let attempt = 0; ; attempt += 1) {
    const hash = createHash('sha256').update(`${attempt} ${key}`).digest('hex').slice(0, 8)
    const candidate = `${readable.slice(0, longest - 9)}_${hash}`
    if (!used.has(candidate)) return candidate
  }
}
