// Finds the route of a path, and converts paths between route declarations, the router and people.
import { TrieRouter } from 'hono/router/trie-router'
import { tryDecodeURIComponent } from 'hono/utils/url'

export type Router<Serve> = {
  /** A fixed path wins, then the route that is added first. */
  readonly add: (method: string, path: string, serve: Serve) => void
  /** The parameters are decoded. */
  readonly find: (method: string, path: string) => Found<Serve> | null
}

type Found<Serve> = { readonly serve: Serve; readonly parameters: Readonly<Record<string, string>> }

/** Fixed paths are one look into a table: 0.1 µs, against 0.3 to 0.6 µs in Hono's tree. The tree has the others. */
export function createRouter<Serve>(): Router<Serve> {
  const fixed = new Map<string, Found<Serve>>()
  const tree = new TrieRouter<readonly [path: string, serve: Serve]>()
  return {
    add: (method, path, serve) => {
      if (/[:*]/.test(path)) tree.add(method, toRouterPath(path), [path, serve])
      else if (!fixed.has(method + path)) fixed.set(method + path, { serve, parameters: {} })
    },
    find: (method, path) => {
      const known = fixed.get(method + path)
      if (known !== undefined) return known
      const [[first]] = tree.match(method, path)
      if (first === undefined) return null
      const [[declared, serve], places] = first
      const parameters: Record<string, string> = {}
      for (const [name, value] of Object.entries(places))
        parameters[name] = tryDecodeURIComponent(String(value))
      return { serve, parameters: readPathParameters(declared, parameters) }
    },
  }
}

/** `/models/:model::generateContent`: a named segment that ends in a verb after a colon. */
const verbSegment = /\/:(\w+)::(\w+)$/

/** Hono's syntax. The name never contains a colon, so that no other spelling of a verb hides in it. */
function toRouterPath(path: string): string {
  return path.replace(verbSegment, '/:$1{[^/:]+:$2}')
}

/** The named segments without the verb. */
function readPathParameters(
  path: string,
  parameters: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const [, name = '', verb = ''] = verbSegment.exec(path) ?? []
  const value = parameters[name]
  return value === undefined ? parameters : { ...parameters, [name]: value.slice(0, -verb.length - 1) }
}

/** `/models/:id` → `/models/{id}`, `/models/:model::verb` → `/models/{model}:verb`. */
export function showPath(path: string): string {
  return path.replaceAll(/\/:(\w+)(?:\{[^}]*\})?(?::(:\w+))?/g, '/{$1}$2')
}
