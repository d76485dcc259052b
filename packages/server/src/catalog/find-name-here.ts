// Finds our name of a model that a caller names as its vendor does.
import type { Catalog, CatalogModel } from './types.ts'

/**
 * The id of the model that the upstream knows by this name, with or without a path before it (`models/`, `google/`). Among multiple models,
 * one that `mayCall` allows. One of our own names after such a path is found too. Null if no model matches.
 */
export function findNameHere(
  catalog: Catalog,
  name: string,
  mayCall: (modelId: string) => boolean = () => true,
): string | null {
  const bare = name.slice(name.lastIndexOf('/') + 1)
  const meant = [name, bare].flatMap(each => listMeant(catalog, each))
  const own = catalog.find(bare)?.id
  return meant.find(mayCall) ?? meant[0] ?? own ?? null
}

function listMeant({ models, families }: Catalog, upstreamName: string): string[] {
  return [
    ...models.filter(({ upstreamId }) => upstreamId === upstreamName).map(({ id }) => id),
    ...families.flatMap(family => nameInFamily(family, upstreamName)),
  ]
}

/** A family's id and upstream id both end in `*`. */
function nameInFamily({ id, upstreamId }: CatalogModel, upstreamName: string): string[] {
  const prefix = upstreamId.slice(0, -1)
  return upstreamName.length > prefix.length && upstreamName.startsWith(prefix)
    ? [id.slice(0, -1) + upstreamName.slice(prefix.length)]
    : []
}

/** For organisers: they may name a model by its id, by an alias, or as its vendor does. Undefined if no model matches. */
export function resolveModelName(
  catalog: Catalog,
  name: string,
): string | { readonly calledHere: string } | undefined {
  const id = catalog.find(name)?.id
  if (id !== undefined) return id
  const calledHere = findNameHere(catalog, name)
  return calledHere === null ? undefined : { calledHere }
}
