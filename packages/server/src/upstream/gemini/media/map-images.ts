// Images: our call → the vendor's body, and its reply → images with their usage, for both families of models.
import type { ImageCall, ImageResult } from '../../media-port.ts'
import { asArray, asRecord, asString, isPresent } from '../../narrow-json.ts'
import { emptyAnswer } from '../../upstream-failure.ts'
import { readInlineData } from '../chat/read-parts.ts'
import { requireAnswer } from '../require-answer.ts'

/** For a chat model that draws: `models/{model}:generateContent`. */
export function buildImageBody({ prompt, aspectRatio, images }: ImageCall): object {
  const sent = images.map(({ mimeType, base64 }) => ({ inlineData: { mimeType, data: base64 } }))
  return {
    contents: [{ role: 'user', parts: [{ text: prompt }, ...sent] }],
    generationConfig: {
      responseModalities: ['IMAGE'],
      ...(aspectRatio === null ? {} : { imageConfig: { aspectRatio } }),
    },
  }
}

/** Throws ApiError `upstream_error` for an empty reply. */
export function mapImageReply(reply: unknown): ImageResult {
  const { record, usage } = requireAnswer(reply)
  const images = readInlineData(record, 'image').map(({ base64 }) => ({ base64, revisedPrompt: null }))
  return { images, usage }
}

/** For an image model: `models/{model}:predict`. */
export function buildPredictBody({ prompt, count, aspectRatio }: ImageCall): object {
  return { instances: [{ prompt }], parameters: { sampleCount: count, aspectRatio } }
}

/**
 * Only images are billed. An entry without one says why it was withheld, or rates the prompt; `{}` means that all were withheld.
 * Throws ApiError `upstream_error` for what is no reply at all.
 */
export function mapPredictReply(reply: unknown): ImageResult {
  const record = asRecord(reply)
  if (record === null || isPresent(record.error)) throw emptyAnswer()
  const images = asArray(record.predictions).flatMap(item => {
    const prediction = asRecord(item) ?? {}
    const base64 = asString(prediction.bytesBase64Encoded) ?? ''
    return base64 === '' ? [] : [{ base64, revisedPrompt: asString(prediction.prompt) }]
  })
  return { images, usage: { kind: 'counted', units: { image: images.length } } }
}
