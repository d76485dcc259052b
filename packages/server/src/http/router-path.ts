// Paths as routes declare them, as the router takes them, and as people read them.

/** `/models/:model::generateContent`: a named segment that ends in a verb after a colon. */
const verbSegment = /\/:(\w+)::(\w+)$/

/** Hono's syntax. The name never holds a colon, so that no other spelling of a verb hides in it. */
export function toRouterPath(path: string): string {
  return path.replace(verbSegment, '/:$1{[^/:]+:$2}')
}

/** The named segments without the verb. */
export function readPathParameters(
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
