// Images: our call → the body of images/generations or the form of images/edits, and the reply → images with their usage.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { ImageCall, ImageResult } from '../../media-port.ts'
import { asArray, asRecord, asString } from '../../narrow-json.ts'
import type { UsageReport } from '../../port.ts'
import { emptyAnswer } from '../../upstream-failure.ts'
import { mapUsage } from '../map-usage.ts'

/** Models billed per image answer with an address unless told otherwise. Models billed by tokens refuse `response_format`. */
export function buildImageBody(call: ImageCall): object {
  const { model, prompt, count } = call
  const size = sizeOf(call)
  return {
    model: model.upstreamId,
    prompt,
    n: count,
    ...(size === undefined ? {} : { size }),
    ...(model.modality === 'imggen' ? { response_format: 'b64_json' } : {}),
  }
}

export function buildEditForm(call: ImageCall): FormData {
  const form = new FormData()
  form.append('model', call.model.upstreamId)
  form.append('prompt', call.prompt)
  const size = sizeOf(call)
  if (size !== undefined) form.append('size', size)
  for (const [index, { mimeType, base64 }] of call.images.entries()) {
    const file = new File([Buffer.from(base64, 'base64')], `image-${index + 1}.${mimeType.slice(6)}`, {
      type: mimeType,
    })
    form.append(call.images.length === 1 ? 'image' : 'image[]', file)
  }
  return form
}

function sizeOf({ model, aspectRatio }: ImageCall): string | undefined {
  return aspectRatio === null ? undefined : model.imageSizes.get(aspectRatio)
}

/** Throws ApiError `upstream_error` for an empty reply, and for images by address, which we do not fetch. */
export function mapImageReply(reply: unknown, { model }: ImageCall): ImageResult {
  const record = asRecord(reply) ?? {}
  const images = asArray(record.data).flatMap(item => {
    const image = asRecord(item) ?? {}
    const base64 = asString(image.b64_json) ?? ''
    if (base64 === '' && asString(image.url) !== null) {
      throw new ApiError('upstream_error', {
        message: 'The model provider sent addresses of images instead of the images. Tell the organisers.',
      })
    }
    return base64 === '' ? [] : [{ base64, revisedPrompt: asString(image.revised_prompt) }]
  })
  const said = mapUsage(record)
  if (asRecord(record.error) !== null || (images.length === 0 && said.kind === 'absent')) throw emptyAnswer()
  const usage: UsageReport =
    model.modality === 'imggen' ? { kind: 'counted', units: { image: images.length } } : countAsImage(said)
  return { images, usage }
}

/** The output of such a model is its image, unless the reply lists tokens of text apart. */
function countAsImage(report: UsageReport): UsageReport {
  if (report.kind !== 'reported' || report.usage.media?.outputImage !== undefined) return report
  const { usage } = report
  return { kind: 'reported', usage: { ...usage, media: { ...usage.media, outputImage: usage.outputTokens } } }
}
