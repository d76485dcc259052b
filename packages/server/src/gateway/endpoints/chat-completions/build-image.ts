// An image of an answer as clients see it: whole, in a data URL (spec 2.4).
import type { DataUrl } from '@fairgate/contracts/chat/data-url.ts'
import type { ImageRecord } from '@fairgate/contracts/chat/response.ts'

export function buildImage(image: DataUrl, index: number): ImageRecord {
  const url = `data:${image.mimeType};base64,${image.base64}`
  return { type: 'image_url', index, image_url: { url, detail: 'auto' } }
}
