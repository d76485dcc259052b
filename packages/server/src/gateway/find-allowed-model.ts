// Which model a public name means for this caller; aliases become the original id before anything is looked up.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Catalog, CatalogModel } from '../catalog/types.ts'
import type { Caller } from './stages/1-authenticate.ts'

const wholeTeam = 'all-team-models'

/** True when the key and its team may call the model (spec 2.1 rule 2). */
export function mayCall(caller: Caller, modelId: string): boolean {
  const { team, key } = caller
  if (team.models.length > 0 && !team.models.includes(modelId)) return false
  return key.models.length === 0 || key.models.includes(wholeTeam) || key.models.includes(modelId)
}

/** Throws ApiError `model_not_found` (404) or `model_not_allowed` (403). */
export function findAllowedModel(catalog: Catalog, caller: Caller, name: string): CatalogModel {
  const model = catalog.find(caller.key.aliases.get(name) ?? name)
  if (model === undefined) {
    throw new ApiError('model_not_found', {
      param: 'model',
      message: `The model '${name.slice(0, 100)}' does not exist. GET /v1/models lists what this key can call.`,
    })
  }
  if (!mayCall(caller, model.id)) {
    throw new ApiError('model_not_allowed', {
      param: 'model',
      message: `This key may not call '${model.id}'. GET /v1/models lists what it can call.`,
    })
  }
  return model
}
