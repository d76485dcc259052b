// Models known by a pattern of their name, so that an upstream's new ones can be called, and are priced, without an entry each.
import type { CatalogModel } from './types.ts'

export type ModelFamily = {
  /** What the names begin with. */
  readonly prefix: string
  readonly upstreamPrefix: string
  readonly model: CatalogModel
}

/** A name is bounded, since limits and totals are kept by it. */
const restOfName = /^[a-z0-9](?:[a-z0-9.-]{0,62}[a-z0-9])?$/

/** `pattern` and the model's upstream id both end in `*`, which stands for the rest of the name. Throws when they do not. */
export function createFamily(place: string, pattern: string, model: CatalogModel): ModelFamily {
  const prefix = readPrefix(pattern)
  if (prefix === null) throw new Error(`${place}: the name of a family ends in its only *, as in video-*.`)
  const upstreamPrefix = readPrefix(model.upstreamId)
  if (upstreamPrefix === null) throw new Error(`${place}.upstream_id ends in its only *, as in veo-*.`)
  return { prefix, upstreamPrefix, model }
}

function readPrefix(pattern: string): string | null {
  return /^([^*]+)\*$/.exec(pattern)?.[1] ?? null
}

/** The model of that name as its family describes it; undefined when it belongs to none. */
export function findInFamilies(families: readonly ModelFamily[], name: string): CatalogModel | undefined {
  for (const { prefix, upstreamPrefix, model } of families) {
    if (!name.startsWith(prefix)) continue
    const rest = name.slice(prefix.length)
    if (restOfName.test(rest)) return { ...model, id: name, upstreamId: upstreamPrefix + rest }
  }
  return undefined
}
