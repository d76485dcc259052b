// Resolves model names and decides which models a caller may call. Aliases become the original id before anything is looked up.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { findNameHere } from '../../catalog/find-name-here.ts'
import type { Catalog, CatalogModel, Modality } from '../../catalog/types.ts'
import type { Caller } from './authenticate.ts'

const wholeTeam = 'all-team-models'

/** True if the key and its team may call the model (spec 2.1 rule 2). */
function mayCall(caller: Caller, modelId: string): boolean {
  const { team, key } = caller
  if (team.models.length > 0 && !team.models.includes(modelId)) return false
  return key.models.length === 0 || key.models.includes(wholeTeam) || key.models.includes(modelId)
}

/** The endpoints for each kind of model. */
const endpointOf: Readonly<Record<Modality, string>> = {
  chat: '/chat/completions',
  image: '/images/generations or /chat/completions',
  imggen: '/images/generations',
  speech: '/audio/speech, or /chat/completions with modalities ["audio"]',
  music: '/audio/speech',
  transcription: '/audio/transcriptions',
  embedding: '/embeddings',
  video: '/videos',
}

/** For a name that the caller cannot use: gives the model's name here if it is the vendor's name. */
export function refuseUnknownModel(catalog: Catalog, caller: Caller, name: string): ApiError {
  const shown = name.slice(0, 100)
  const own = findNameHere(catalog, shown, id => mayCall(caller, id))
  const what =
    own === null || own === name ? `The model '${shown}' does not exist.` : `${shown} is called ${own} here.`
  return new ApiError('model_not_found', {
    param: 'model',
    message: `${what} GET /v1/models lists what this key can call.`,
  })
}

/** Throws ApiError `model_not_found` (404), `model_not_allowed` (403), or `invalid_request` (400) for a model of another kind. */
export function findAllowedModel(
  catalog: Catalog,
  caller: Caller,
  name: string,
  ...modalities: readonly [Modality, ...Modality[]]
): CatalogModel {
  const model = catalog.find(caller.key.aliases.get(name) ?? name)
  if (model === undefined) {
    throw refuseUnknownModel(catalog, caller, name)
  }
  if (!mayCall(caller, model.id)) throw refuseModel(model.id)
  if (!modalities.includes(model.modality)) {
    throw invalidRequest(
      'model',
      `The model '${model.id}' does not work with this endpoint. Use ${endpointOf[model.modality]}.`,
    )
  }
  return model
}

/** 403 `model_not_allowed`. */
export function refuseModel(modelId: string): ApiError {
  return new ApiError('model_not_allowed', {
    param: 'model',
    message: `This key may not call '${modelId}'. GET /v1/models lists what it can call.`,
  })
}

export type CallableModel = { readonly name: string; readonly model: CatalogModel }

/**
 * Every name under which a caller may call a model: ids, aliases, and the key's own aliases. In catalog order, each once.
 * `ofPhase`: the only models of the current phase; null for all.
 */
export function listCallable(
  catalog: Catalog,
  caller: Caller,
  ofPhase: readonly string[] | null,
): CallableModel[] {
  const isCallable = (id: string) => mayCall(caller, id) && (ofPhase === null || ofPhase.includes(id))
  const callable = new Map<string, CatalogModel>()
  for (const model of catalog.models) {
    if (!isCallable(model.id)) continue
    for (const name of [model.id, ...model.aliases]) callable.set(name, model)
  }
  for (const [alias, target] of caller.key.aliases) {
    const model = catalog.find(target)
    if (model === undefined || !isCallable(model.id)) callable.delete(alias)
    else callable.set(alias, model)
  }
  return [...callable].map(([name, model]) => ({ name, model }))
}
