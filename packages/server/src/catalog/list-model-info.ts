// Lists models as LiteLLM's clients expect them: one item for each name that a caller may use.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type {
  ModelGroup,
  ModelGroupList,
  ModelInfo,
  ModelInfoList,
} from '@fairgate/contracts/info/model-info.ts'
import type { Unit } from '../ledger/price.ts'
import type { CatalogModel, Modality } from './types.ts'

export type NamedModel = { readonly name: string; readonly model: CatalogModel }

const modes: Readonly<Record<Modality, ModelInfo['model_info']['mode']>> = {
  chat: 'chat',
  image: 'image_generation',
  imggen: 'image_generation',
  speech: 'audio_speech',
  music: 'audio_speech',
  transcription: 'audio_transcription',
  embedding: 'embedding',
  video: 'video_generation',
}

const prices = {
  inputText: 'input_cost_per_token',
  outputText: 'output_cost_per_token',
  cachedInput: 'cache_read_input_token_cost',
  cacheWrite5m: 'cache_creation_input_token_cost',
  cacheWrite1h: 'cache_creation_input_token_cost_above_1hr',
  inputAudio: 'input_cost_per_audio_token',
  inputCharacter: 'input_cost_per_character',
  reasoning: 'output_cost_per_reasoning_token',
  outputAudio: 'output_cost_per_audio_token',
  outputImage: 'output_cost_per_image_token',
  image: 'output_cost_per_image',
  second720p: 'output_cost_per_second',
  second1080p: 'output_cost_per_second_1080p',
  second4k: 'output_cost_per_second_4k',
} as const satisfies Partial<Record<Unit, keyof ModelInfo['model_info']>>

/** `id`: only the model with this catalog id. Throws ApiError `model_not_found` if none of the models has it. */
export function listModelInfo(models: readonly NamedModel[], id: string | undefined): ModelInfoList {
  const data = models.filter(({ model }) => id === undefined || model.id === id).map(describeInfo)
  if (id !== undefined && data.length === 0) throw refuseUnknown('litellm_model_id')
  return { data }
}

/** `name`: only the model with this name. Throws ApiError `model_not_found` if none of the models has it. */
export function listModelGroups(models: readonly NamedModel[], name: string | undefined): ModelGroupList {
  const data = models.filter(one => name === undefined || one.name === name).map(describeGroup)
  if (name !== undefined && data.length === 0) throw refuseUnknown('model_group')
  return { data }
}

function refuseUnknown(param: string): ApiError {
  return new ApiError('model_not_found', {
    param,
    message: `There is no such model. Leave ${param} out to list all.`,
  })
}

function describeInfo({ name, model }: NamedModel): ModelInfo {
  const { id, maxOutput } = model
  return {
    model_name: name,
    litellm_params: { model: id },
    model_info: {
      id,
      db_model: false,
      ...describeFacts(model),
      ...(maxOutput === 0 ? {} : { max_tokens: maxOutput }),
      ...listPrices(model, Object.keys(prices) as (keyof typeof prices)[]),
    },
  }
}

function describeGroup({ name, model }: NamedModel): ModelGroup {
  return {
    model_group: name,
    providers: ['fairgate'],
    ...describeFacts(model),
    ...listPrices(model, ['inputText', 'outputText']),
    rpm: model.rpmLimit,
    tpm: model.tpmLimit,
  }
}

function describeFacts({ modality, contextLimit, maxOutput, reasoning }: CatalogModel) {
  return {
    mode: modes[modality],
    max_input_tokens: contextLimit,
    ...(maxOutput === 0 ? {} : { max_output_tokens: maxOutput }),
    supports_reasoning: reasoning !== 'none',
  }
}

/** USD a unit, of the first tier. Rates are nano-dollars per million units. */
function listPrices(
  { price }: CatalogModel,
  units: readonly (keyof typeof prices)[],
): Readonly<Record<string, number>> {
  const [{ rates }] = price.tiers
  return Object.fromEntries(
    units.flatMap(unit => {
      const rate = rates[unit]
      return rate === undefined ? [] : [[prices[unit], rate / 1e15]]
    }),
  )
}
