// Selects members of a reply by their paths, for `fairgate api --fields`.

/** Name → selection inside it; an empty selection means all of it. */
type Selection = Map<string, Selection>

type Selected = { readonly selected: unknown; readonly missing: null | string }

/**
 * The reply with these members only; nested members stay nested. In a list with `items` it selects from each item and keeps `next`. `missing`:
 * message about a path that no item has, with the existing names.
 */
export function selectFields(reply: unknown, paths: readonly string[]): Selected {
  const whole = new Map<string, Selection>()
  for (const path of paths) addPath(whole, path.split('.'))
  const list = isObject(reply) && Array.isArray(reply.items) ? reply : null
  const source = list === null ? reply : list.items
  const seen = { found: new Set<Selection>(), lacked: new Set<Selection>() }
  const picked = pick(source, whole, seen)
  const unknown = findMissing(whole, seen)
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

/** Selections that an item had, and those that it lacked. A null or an empty list proves nothing about its members. */
type Seen = { readonly found: Set<Selection>; readonly lacked: Set<Selection> }

function pick(value: unknown, selection: Selection, seen: Seen): unknown {
  if (selection.size === 0 || value === null) return value
  if (Array.isArray(value)) return value.map(item => pick(item, selection, seen))
  const members = isObject(value) ? value : {}
  const picked: Record<string, unknown> = {}
  for (const [name, inner] of selection) {
    const isThere = Object.hasOwn(members, name)
    seen[isThere ? 'found' : 'lacked'].add(inner)
    if (isThere) picked[name] = pick(members[name], inner, seen)
  }
  return isObject(value) ? picked : value
}

/** The first path that no item had. */
function findMissing(selection: Selection, seen: Seen): string | null {
  for (const [name, inner] of selection) {
    if (seen.lacked.has(inner) && !seen.found.has(inner)) return name
    const deeper = findMissing(inner, seen)
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
