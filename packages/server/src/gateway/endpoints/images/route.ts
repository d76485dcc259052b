// POST /images/generations and /images/edits: images from a prompt, or one changed by a prompt (spec 2.5, 4.1).
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { ErrorCode } from '@fairgate/contracts/errors/registry.ts'
import { imageEditRequestSchema } from '@fairgate/contracts/images/edit-request.ts'
import { type ImageRequest, imageRequestSchema } from '@fairgate/contracts/images/request.ts'
import { type ImageResponse, imageResponseSchema } from '@fairgate/contracts/images/response.ts'
import type { Call } from '../../../http/call.ts'
import { defineRoute } from '../../../http/route.ts'
import type { Image, ImageCall, ImageResult, SentImage } from '../../../upstream/media-port.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { paidCallErrors } from '../../flow/call-errors.ts'
import { findAllowedModel } from '../../flow/find-model.ts'
import type { EndpointParts } from '../endpoint-parts.ts'
import { readImageType, recogniseImage } from '../recognise-image.ts'
import { addressPath } from './at-address-route.ts'
import { planImages, readImageCall } from './plan-images.ts'

const imageErrors: readonly ErrorCode[] = [...paidCallErrors, 'files_exceeded', 'unavailable']

export function imagesRoutes(dependencies: EndpointParts) {
  const { paidCall, catalog, media, images, clock, publicUrl, maxBodyBytes } = dependencies

  const makeImages = async (
    caller: Caller,
    call: Call,
    wish: ImageCall,
    format: ImageRequest['response_format'],
  ): Promise<Response> => {
    const { teamId } = caller.team
    const byAddress = format === 'url'
    if (byAddress && !call.isDryRun) await images.requireRoom(teamId)
    return paidCall(caller, call, {
      plan: planImages(wish),
      translate: () => [wish],
      ask: asked => media.makeImages(asked, teamId),
      respond: async ([result], headers) =>
        writeImages(result, byAddress ? await keepAll(caller, result.images) : null, clock(), headers),
    })
  }

  const keepAll = (caller: Caller, made: readonly Image[]): Promise<string[]> =>
    Promise.all(made.map(image => keep(caller, image)))

  /** The address of an image; a data URL if it cannot be kept. */
  const keep = async ({ team, key }: Caller, { base64 }: Image): Promise<string> => {
    const bytes = Buffer.from(base64, 'base64')
    const type = readImageType(bytes)
    const image = { teamId: team.teamId, keyHash: key.keyHash, bytes }
    const end = type === null ? null : await images.keep(image, type)
    return end === null
      ? `data:${type ?? 'application/octet-stream'};base64,${base64}`
      : `${publicUrl()}${addressPath}/${end}`
  }

  const generations = defineRoute<Caller, typeof imageRequestSchema, undefined>({
    method: 'POST',
    path: '/v1/images/generations',
    tag: 'Images',
    summary: 'Create images from a prompt',
    description:
      'Models of the imggen family make 1 to 4 images per request, all others one. `size` applies to the imggen family only; ' +
      '`aspect_ratio` overrides it. With `response_format: "url"` each image has an address that works for an hour. The header `x-gateway-response-cost` has the cost in US dollars.',
    body: imageRequestSchema,
    replies: { 200: imageResponseSchema },
    errors: imageErrors,
    handle: (caller, call) => {
      const model = findAllowedModel(catalog, caller, call.body.model, 'image', 'imggen')
      return makeImages(caller, call, readImageCall(call.body, model), call.body.response_format)
    },
  })

  const edits = defineRoute<Caller, typeof imageEditRequestSchema, undefined>({
    method: 'POST',
    path: '/v1/images/edits',
    tag: 'Images',
    summary: 'Edit an image with a prompt',
    description:
      'Send multipart/form-data with one `image` or several as `image[]`. Works with models of the imgalias family, which return one image. ' +
      'The header `x-gateway-response-cost` has the cost in US dollars.',
    bodyKind: 'form',
    body: imageEditRequestSchema,
    maxBodyBytes,
    replies: { 200: imageResponseSchema },
    errors: imageErrors,
    handle: async (caller, call) => {
      const {
        model: name,
        prompt,
        image,
        aspect_ratio: aspectRatio,
        mask,
        response_format: format,
      } = call.body
      const model = findAllowedModel(catalog, caller, name, 'image')
      if (mask !== undefined) {
        throw invalidRequest('mask', 'Masks are not supported. Describe in the prompt which part to change.')
      }
      const sent = await Promise.all((Array.isArray(image) ? image : [image]).map(readImage))
      const wish = { model, prompt, count: 1, aspectRatio: aspectRatio ?? null, images: sent }
      return makeImages(caller, call, wish, format)
    },
  })

  return [generations, edits]
}

/** Throws ApiError `invalid_request` for a file that is not PNG, JPEG or WebP. */
async function readImage(file: Blob | string): Promise<SentImage> {
  if (!(file instanceof Blob)) throw invalidRequest('image', 'image must be an uploaded file.')
  const image = recogniseImage(await file.bytes())
  if (image === null) throw invalidRequest('image', 'image must be a PNG, JPEG or WebP file.')
  return image
}

/** `addresses`: of the images; null for Base64. `now`: Unix ms. Throws ApiError `content_policy_violation` if the model made none. */
function writeImages(
  result: ImageResult,
  addresses: readonly string[] | null,
  now: number,
  headers: Readonly<Record<string, string>>,
): Response {
  if (result.images.length === 0) throw new ApiError('content_policy_violation', { param: 'prompt' })
  return Response.json(buildImageResponse(result, addresses, Math.floor(now / 1000)), { headers })
}

function buildImageResponse(
  { images, usage }: ImageResult,
  addresses: readonly string[] | null,
  created: number,
): ImageResponse {
  const data = images.map(({ base64, revisedPrompt }, index) => ({
    ...(addresses === null ? { b64_json: base64 } : { url: addresses[index] ?? '' }),
    ...(revisedPrompt === null ? {} : { revised_prompt: revisedPrompt }),
  }))
  if (usage.kind !== 'reported') return { created, data }
  const { inputTokens, outputTokens, media } = usage.usage
  const [sent, made] = [media?.inputImage ?? 0, media?.outputImage ?? 0]
  return {
    created,
    data,
    usage: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
      // OpenAI's clients may rely on it: without it LiteLLM throws the whole answer away.
      input_tokens_details: { image_tokens: sent, text_tokens: inputTokens - sent },
      output_tokens_details: { image_tokens: made, text_tokens: outputTokens - made },
    },
  }
}
