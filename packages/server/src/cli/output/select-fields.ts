// Selects members of a reply by their paths, for `fairgate api --fields`.

/** Name → selection inside it; an empty selection means all of it. */
type Selection = Map<string, Selection>

type Selected = { readonly selected: unknown; readonly missing: null | string }

/**
 * The reply with these members only; nested members stay nested. In a list with `items` it selects from each item and keeps `next`.
 * `missing`: message about a path that no item has, with the names that are there.
 */
export function selectFields(reply: unknown, paths: readonly string[]): Selected {
  const whole = new Map<string, Selection>()
  for (const path of paths) addPath(whole, path.split('.'))
  const list = isObject(reply) && Array.isArray(reply.items) ? reply : null
  const source = list === null ? reply : list.items
  const found = new Set<Selection>()
  const picked = pick(source, whole, found)
  const unknown = Array.isArray(source) && source.length === 0 ? null : findMissing(whole, found)
  return {
    selected: list === null ? picked : { items: picked, ...('next' in list ? { next: list.next } : {}) },
    missing: unknown === null ? null : describeMissing(unknown, source),
  }
}

function addPath(selection: Selection, [name, ...rest]: readonly string[]): void {
  if (name === undefined) return
  const known = selection.get(name)
  // "a" includes "a.b".
  if (known?.size === 0) return
  const inner: Selection = known === undefined || rest.length === 0 ? new Map() : known
  selection.set(name, inner)
  addPath(inner, rest)
}

function pick(value: unknown, selection: Selection, found: Set<Selection>): unknown {
  if (selection.size === 0 || value === null) {
    markFound(selection, found)
    return value
  }
  if (Array.isArray(value)) {
    // An empty list inside an item does not show which members its items have.
    if (value.length === 0) markFound(selection, found)
    return value.map(item => pick(item, selection, found))
  }
  if (!isObject(value)) return value
  const members = [...selection].filter(([name]) => Object.hasOwn(value, name))
  return Object.fromEntries(
    members.map(([name, inner]) => {
      found.add(inner)
      return [name, pick(value[name], inner, found)]
    }),
  )
}

function markFound(selection: Selection, found: Set<Selection>): void {
  for (const inner of selection.values()) {
    found.add(inner)
    markFound(inner, found)
  }
}

/** The first path that was nowhere. */
function findMissing(selection: Selection, found: ReadonlySet<Selection>): string | null {
  for (const [name, inner] of selection) {
    if (!found.has(inner)) return name
    const deeper = findMissing(inner, found)
    if (deeper !== null) return `${name}.${deeper}`
  }
  return null
}

function describeMissing(path: string, source: unknown): string {
  const first: unknown = Array.isArray(source) ? source[0] : source
  const names = isObject(first) ? Object.keys(first).join(', ') : ''
  return `The reply has no field "${path}".${names === '' ? '' : ` It has: ${names}.`}`
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
