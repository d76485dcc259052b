// Every name under which a caller may call a model: ids, aliases, and the key's own aliases.
import type { Catalog, CatalogModel } from '../catalog/types.ts'
import { mayCall } from './find-allowed-model.ts'
import type { Caller } from './stages/1-authenticate.ts'

export type CallableModel = { readonly name: string; readonly model: CatalogModel }

/** In the order of the catalog, each name once. */
export function listCallable(catalog: Catalog, caller: Caller): CallableModel[] {
  const callable = new Map<string, CatalogModel>()
  for (const model of catalog.models) {
    if (!mayCall(caller, model.id)) continue
    for (const name of [model.id, ...model.aliases]) callable.set(name, model)
  }
  for (const [alias, target] of caller.key.aliases) {
    const model = catalog.find(target)
    if (model === undefined || !mayCall(caller, model.id)) callable.delete(alias)
    else callable.set(alias, model)
  }
  return [...callable].map(([name, model]) => ({ name, model }))
}
