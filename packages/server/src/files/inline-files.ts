// Inserts the uploaded files that a conversation names into the conversation itself, in the form that the same data would have inline.
// So they are checked, measured and sent like any other input. The largest stay references if they are too many bytes for a request.
import type { UserPart } from '@fairgate/contracts/chat/content-parts.ts'
import { imageTypes } from '@fairgate/contracts/chat/data-url.ts'
import type { ChatMessage } from '@fairgate/contracts/chat/message.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest, unavailable } from '@fairgate/contracts/errors/refusals.ts'
import type { CatalogModel } from '../catalog/types.ts'
import type { StoredFile } from '../store/statements/files.ts'
import type { LargeFile, LargeFiles } from '../upstream/large-files.ts'
import type { Conversation } from '../upstream/port.ts'
import type { ByteBudget } from '../upstream/reply-limits.ts'
import type { FileService } from './file-service.ts'
import { isText } from './recognise-type.ts'

export type FileReaderDependencies = {
  readonly files: Pick<FileService, 'find' | 'content'>
  /** For the files of one request together, in base64: as much as the same request could send inline. */
  readonly maxBytes: number
  /** For the files of all requests at once. */
  readonly heldBytes: ByteBudget
  /** An unguessable name. */
  readonly newMark: () => string
}

export type FileReference = {
  readonly id: string
  /** The place in the request, for errors. */
  readonly param: string
}

/**
 * Reads files into memory, each once, and turns them into parts by `build`. `release` must be called once, when the parts are no longer
 * needed. Throws ApiError `file_not_found`, also for another team's file, `invalid_request` if they are too many or too large, and
 * `unavailable` if too many files are in memory, or if one cannot be read.
 */
export type ReadFiles = <Part>(
  references: readonly FileReference[],
  teamId: string,
  build: (file: StoredFile, param: string, read: () => Promise<Buffer>) => Promise<Part>,
  signal: AbortSignal,
  /** False if the upstream has no store for what is too large for a request. */
  canStore: boolean,
) => Promise<{
  readonly parts: ReadonlyMap<string, Part>
  /** The files that are not among the parts; absent if all are. */
  readonly largeFiles?: LargeFiles
  readonly release: () => void
}>

/** Also throws ApiError `invalid_request` for a part that cannot be input. */
export type InlineFiles = (
  conversation: Conversation,
  model: Pick<CatalogModel, 'kind'>,
  teamId: string,
  signal: AbortSignal,
) => Promise<{ readonly conversation: Conversation; readonly release: () => void }>

/** Each is one row to read, and one file or object. */
const maxFiles = 64

type FilePart = Extract<UserPart, { type: 'file' }>
type MessageWithFiles = Extract<ChatMessage, { role: 'user' | 'tool' }>
type Part = Exclude<MessageWithFiles['content'], string>[number]
type Reference = FileReference & { readonly isOfTool: boolean }

/** Costs next to nothing if all messages are plain text. Also true for a part without data, which is then refused. */
export function hasFiles({ messages }: Pick<Conversation, 'messages'>): boolean {
  return messages.some(
    message =>
      mayHoldFiles(message) && typeof message.content !== 'string' && message.content.some(isReference),
  )
}

export function createFileReader({ files, maxBytes, heldBytes, newMark }: FileReaderDependencies): ReadFiles {
  const findAll = async (references: readonly FileReference[], teamId: string) => {
    const found = new Map<string, { readonly file: StoredFile; readonly param: string }>()
    for (const { id, param } of references) {
      if (found.has(id)) continue
      if (found.size >= maxFiles) throw invalidRequest(param, `A request can name at most ${maxFiles} files.`)
      const file = await files.find(teamId, id).catch(error => Promise.reject(nameParam(error, param)))
      found.set(id, { file, param })
    }
    return found
  }

  return async (references, teamId, build, signal, canStore) => {
    const found = await findAll(references, teamId)
    const large = new Map<string, LargeFile>()
    const sizes = new Map<string, number>()
    let size = 0
    let excess: string | null = null
    for (const { id, param } of references) {
      // Every reference counts: each of them is sent.
      const bytes = Math.ceil((found.get(id)?.file.bytes ?? 0) / 3) * 4
      sizes.set(id, (sizes.get(id) ?? 0) + bytes)
      size += bytes
      if (size > maxBytes) excess ??= param
    }
    if (excess !== null && !canStore)
      throw invalidRequest(
        excess,
        `The files of this request have more than ${Math.floor(maxBytes / 4) * 3} bytes together. Send fewer or smaller files, or choose a model that takes larger ones.`,
      )
    // The largest first: as few uploads as possible.
    for (const [id, { file }] of [...found].sort(([, a], [, b]) => b.file.bytes - a.file.bytes)) {
      if (size <= maxBytes) break
      size -= sizes.get(id) ?? 0
      large.set(id, describeLarge(files, file, newMark()))
    }
    if (!heldBytes.take(size))
      throw unavailable(2, undefined, 'Too many files are being read at once. Try again shortly.')
    const release = () => heldBytes.give(size)
    try {
      const parts = new Map<string, Awaited<ReturnType<typeof build>>>()
      for (const [id, { file, param }] of found)
        if (!large.has(id)) parts.set(id, await build(file, param, () => readWhole(files, file, signal)))
      return large.size === 0
        ? { parts, release }
        : { parts, largeFiles: { files: large, client: signal, sent: { isSent: false } }, release }
    } catch (error) {
      release()
      throw error
    }
  }
}

export function createFileInliner(readFiles: ReadFiles): InlineFiles {
  return async (conversation, model, teamId, signal) => {
    const references = listReferences(conversation)
    const canStore = model.kind === 'vendor'
    const build: typeof buildPart = (file, param, read) => {
      requireType(file, param, canStore)
      return buildPart(file, param, read)
    }
    const read = await readFiles(references, teamId, build, signal, canStore)
    const { parts, largeFiles, release } = read
    for (const { id, param } of references) {
      const file = largeFiles?.files.get(id)
      if (file !== undefined) requireType(file, param, canStore)
    }
    const audio = references.find(({ id, isOfTool }) => isOfTool && parts.get(id)?.type === 'input_audio')
    if (audio !== undefined) {
      release()
      throw invalidRequest(audio.param, `${audio.param}: tool results cannot contain audio.`)
    }
    const messages = conversation.messages.map(message => replaceFiles(message, parts))
    const large = largeFiles === undefined ? {} : { largeFiles }
    return { conversation: { ...conversation, messages, ...large }, release }
  }
}

function mayHoldFiles(message: ChatMessage): message is MessageWithFiles {
  return message.role === 'user' || message.role === 'tool'
}

function isReference(part: Part): part is FilePart {
  return part.type === 'file' && !part.file.file_data
}

function listReferences({ messages }: Conversation): Reference[] {
  return messages.flatMap((message, index) => {
    if (!mayHoldFiles(message) || typeof message.content === 'string') return []
    return message.content.flatMap((part: Part, position) => {
      if (!isReference(part)) return []
      const place = `messages[${index}].content[${position}].file`
      if (part.file.file_id)
        return [{ id: part.file.file_id, param: `${place}.file_id`, isOfTool: message.role === 'tool' }]
      throw invalidRequest(`${place}.file_data`, `${place} needs file_data or file_id.`)
    })
  })
}

function nameParam(error: unknown, param: string): unknown {
  if (!(error instanceof ApiError) || error.code !== 'file_not_found') return error
  return new ApiError('file_not_found', { param, message: error.message })
}

/** The mark stands for the address. Texts have one type at the vendor, whatever their client calls them. */
function describeLarge(files: Pick<FileService, 'content'>, file: StoredFile, mark: string): LargeFile {
  const { fileId, bytes } = file
  const mimeType = isText(file.mimeType) ? 'text/plain' : file.mimeType
  return { fileId, mimeType, bytes, mark, content: signal => files.content(file, signal) }
}

const audioFormats: Readonly<Record<string, 'wav' | 'mp3'>> = { 'audio/wav': 'wav', 'audio/mpeg': 'mp3' }

/** Throws ApiError `invalid_request` for a type that a conversation cannot have. */
function requireType(
  { mimeType, fileId }: Pick<StoredFile, 'mimeType' | 'fileId'>,
  param: string,
  readsVideos: boolean,
): void {
  const isMedium = imageTypes.includes(mimeType) || Object.hasOwn(audioFormats, mimeType)
  if (isMedium || mimeType === 'application/pdf' || isText(mimeType)) return
  if (readsVideos && isVideo(mimeType)) return
  const accepted = `PDF, PNG, JPEG, WebP, HEIC, HEIF, WAV, MP3${readsVideos ? ', video' : ''} and text`
  throw invalidRequest(param, `The file ${fileId} has the type ${mimeType}. This model accepts ${accepted}.`)
}

function isVideo(mimeType: string): boolean {
  return mimeType.startsWith('video/')
}

async function buildPart(file: StoredFile, param: string, read: () => Promise<Buffer>): Promise<UserPart> {
  const { mimeType, filename } = file
  const format = Object.hasOwn(audioFormats, mimeType) ? audioFormats[mimeType] : undefined
  const isImage = imageTypes.includes(mimeType)
  const bytes = await read()
  if (isText(mimeType)) return { type: 'text', text: readText(bytes, file, param) }
  const base64 = bytes.toString('base64')
  if (format !== undefined) return { type: 'input_audio', input_audio: { data: base64, format } }
  const url = `data:${mimeType};base64,${base64}`
  return isImage
    ? { type: 'image_url', image_url: { url } }
    : { type: 'file', file: { file_data: url, filename } }
}

async function readWhole(
  files: Pick<FileService, 'content'>,
  file: StoredFile,
  signal: AbortSignal,
): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of files.content(file, signal)) parts.push(part)
  return Buffer.concat(parts)
}

function readText(bytes: Uint8Array, file: StoredFile, param: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalidRequest(
      param,
      `The file ${file.fileId} has the type ${file.mimeType} but is not valid UTF-8.`,
    )
  }
}

function replaceFiles(message: ChatMessage, parts: ReadonlyMap<string, UserPart>): ChatMessage {
  if (!mayHoldFiles(message) || typeof message.content === 'string') return message
  const replace = (part: Part) => (isReference(part) ? (parts.get(part.file.file_id ?? '') ?? part) : part)
  // A tool's parts are of kinds that a tool may have: others were refused.
  return { ...message, content: message.content.map(replace) } as ChatMessage
}
