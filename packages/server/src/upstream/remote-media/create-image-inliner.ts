// Inserts the images that a chat request only references into the request itself: the vendor gets data, never URLs.
import type { DataUrl } from '@fairgate/contracts/chat/data-url.ts'
import type { ChatMessage } from '@fairgate/contracts/chat/message.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest, unavailable } from '@fairgate/contracts/errors/refusals.ts'
import { Deadline, PatientTimers } from '../../world/patient-timers.ts'
import type { Conversation } from '../port.ts'
import { type FetchImageDependencies, fetchImage, RemoteImageError } from './fetch-image.ts'

export type ImageInlinerDependencies = FetchImageDependencies & {
  /** For all images of one request together. */
  readonly timeoutMs: number
}

/** Throws ApiError `invalid_request` with the image at fault, or `unavailable` if too many requests do this at once. */
export type InlineImages = <Request extends Conversation>(
  request: Request,
  signal: AbortSignal,
) => Promise<Request>

const maxImages = 16
const maxBytesTogether = 20 * 1024 * 1024
/** A small request can make us hold 20 MiB: only so many at a time. */
const maxRequests = 32

export function createImageInliner(dependencies: ImageInlinerDependencies): InlineImages {
  const timers = new PatientTimers()
  let running = 0
  return async (request, signal) => {
    const images = findRemoteImages(request)
    if (images.length === 0) return request
    if (images.length > maxImages) {
      const message = `At most ${maxImages} images can be sent by URL. Send the others as data URLs.`
      throw invalidRequest(images[maxImages]?.param ?? 'messages', message)
    }
    if (running >= maxRequests) throw unavailable(2)
    running += 1
    const deadline = new Deadline(timers, dependencies.timeoutMs, signal)
    const allowance = { left: maxBytesTogether }
    try {
      const found = new Map<string, Promise<DataUrl>>()
      for (const { url, param } of images) {
        if (!found.has(url)) {
          const fetched = fetchImage(dependencies, url, allowance, deadline.signal)
          found.set(
            url,
            fetched.catch(cause => Promise.reject(explain(cause, param))),
          )
        }
      }
      const urls = [...found.keys()]
      const contents = await Promise.all(found.values())
      const inline = new Map(urls.map((url, index) => [url, writeDataUrl(contents[index])]))
      return { ...request, messages: request.messages.map(message => replaceImages(message, inline)) }
    } finally {
      deadline.stop()
      running -= 1
    }
  }
}

/** Costs next to nothing if all messages are plain text. */
export function hasRemoteImages({ messages }: Conversation): boolean {
  return messages.some(
    message =>
      mayHoldImages(message) && typeof message.content !== 'string' && message.content.some(isRemote),
  )
}

type MessageWithImages = Extract<ChatMessage, { role: 'user' | 'tool' }>

function mayHoldImages(message: ChatMessage): message is MessageWithImages {
  return message.role === 'user' || message.role === 'tool'
}

type Part = Exclude<MessageWithImages['content'], string>[number]
type ImagePart = Extract<Part, { type: 'image_url' }>

function isRemote(part: Part): part is ImagePart {
  return part.type === 'image_url' && /^https:/i.test(part.image_url.url)
}

function findRemoteImages({ messages }: Conversation): { readonly url: string; readonly param: string }[] {
  return messages.flatMap((message, index) => {
    if (!mayHoldImages(message) || typeof message.content === 'string') return []
    return message.content.flatMap((part, position) =>
      isRemote(part)
        ? [{ url: part.image_url.url, param: `messages[${index}].content[${position}].image_url.url` }]
        : [],
    )
  })
}

function replaceImages(message: ChatMessage, inline: ReadonlyMap<string, string>): ChatMessage {
  if (!mayHoldImages(message) || typeof message.content === 'string') return message
  const replace = <Kind extends Part>(part: Kind): Kind | ImagePart => {
    const url = isRemote(part) ? inline.get(part.image_url.url) : undefined
    return url === undefined ? part : { type: 'image_url', image_url: { url } }
  }
  if (message.role === 'tool') return { ...message, content: message.content.map(replace) }
  return { ...message, content: message.content.map(replace) }
}

function writeDataUrl(image: DataUrl | undefined): string {
  return image === undefined ? '' : `data:${image.mimeType};base64,${image.base64}`
}

function explain(cause: unknown, param: string): unknown {
  if (!(cause instanceof RemoteImageError)) return cause
  return new ApiError('invalid_request', { param, message: `The image at ${param} ${cause.message}.`, cause })
}
