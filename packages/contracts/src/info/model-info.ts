// Models in the formats of LiteLLM's /model/info and /model_group/info, on both doors. What the catalog does not say is absent.
import Type, { type Static } from 'typebox'

const usd = (what: string) => Type.Optional(Type.Number({ description: `USD per ${what}` }))
const tokens = (description: string) => Type.Optional(Type.Integer({ description }))
const perMinute = (what: string) =>
  Type.Union([Type.Integer(), Type.Null()], {
    description: `${what} per minute of all teams together; null means no limit`,
  })

export const modelModes = [
  'chat',
  'image_generation',
  'audio_speech',
  'audio_transcription',
  'embedding',
  'video_generation',
] as const

const facts = {
  mode: Type.Enum([...modelModes]),
  max_input_tokens: tokens('Maximum tokens of a prompt'),
  max_output_tokens: tokens('Maximum output tokens; absent for models that write none'),
  input_cost_per_token: usd('token of text input'),
  output_cost_per_token: usd('token of text output'),
  supports_reasoning: Type.Boolean(),
}

export const modelInfoSchema = Type.Object({
  model_name: Type.String({ description: 'A name that the key can call' }),
  litellm_params: Type.Object({ model: Type.String({ description: 'Catalog id of the model' }) }),
  model_info: Type.Object(
    {
      id: Type.String({ description: 'Catalog id of the model' }),
      db_model: Type.Boolean({ description: 'Always false: models are in a file' }),
      ...facts,
      max_tokens: tokens('Same as `max_output_tokens`'),
      cache_read_input_token_cost: usd('token of cached input'),
      cache_creation_input_token_cost: usd('token of input written to the cache for five minutes'),
      cache_creation_input_token_cost_above_1hr: usd('token of input written to the cache for an hour'),
      input_cost_per_audio_token: usd('token of audio input'),
      input_cost_per_character: usd('input character'),
      output_cost_per_reasoning_token: usd('reasoning token'),
      output_cost_per_audio_token: usd('token of audio output'),
      output_cost_per_image_token: usd('token of image output'),
      output_cost_per_image: usd('image'),
      output_cost_per_second: usd('second of video in 720p'),
      output_cost_per_second_1080p: usd('second of video in 1080p'),
      output_cost_per_second_4k: usd('second of video in 4k'),
    },
    { description: 'Prices of the shortest prompts. The reference page of the gateway lists all prices.' },
  ),
})

export const modelInfoQuerySchema = Type.Object({
  litellm_model_id: Type.Optional(
    Type.String({ maxLength: 512, description: 'Only the model with this `model_info.id`' }),
  ),
})
export const modelInfoListSchema = Type.Object({ data: Type.Array(modelInfoSchema) })

export const modelGroupSchema = Type.Object({
  model_group: Type.String({ description: 'A name that the key can call' }),
  providers: Type.Array(Type.String()),
  ...facts,
  rpm: perMinute('Requests'),
  tpm: perMinute('Tokens'),
})

export const modelGroupQuerySchema = Type.Object({
  model_group: Type.Optional(Type.String({ maxLength: 512, description: 'Only this one' })),
})
export const modelGroupListSchema = Type.Object({ data: Type.Array(modelGroupSchema) })

export type ModelInfo = Static<typeof modelInfoSchema>
export type ModelInfoList = Static<typeof modelInfoListSchema>
export type ModelGroup = Static<typeof modelGroupSchema>
export type ModelGroupList = Static<typeof modelGroupListSchema>
