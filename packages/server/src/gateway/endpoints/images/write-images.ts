// The reply with the images that a model made (spec 2.5).
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { ImageResponse } from '@fairgate/contracts/images/response.ts'
import type { ImageResult } from '../../../upstream/media-port.ts'

/** `now`: Unix ms. Throws ApiError `content_policy_violation` when the model made none. */
export function writeImages(
  result: ImageResult,
  now: number,
  headers: Readonly<Record<string, string>>,
): Response {
  if (result.images.length === 0) throw new ApiError('content_policy_violation', { param: 'prompt' })
  return Response.json(buildImageResponse(result, Math.floor(now / 1000)), { headers })
}

function buildImageResponse({ images, usage }: ImageResult, created: number): ImageResponse {
  const data = images.map(({ base64, revisedPrompt }) => ({
    b64_json: base64,
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
