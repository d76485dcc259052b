// Inserts the uploaded files that a conversation names into the conversation itself, in the form that the same data would have inline.
// So they are checked, measured and sent like any other input.
import type { UserPart } from '@fairgate/contracts/chat/content-parts.ts'
import { imageTypes } from '@fairgate/contracts/chat/data-url.ts'
import type { ChatMessage } from '@fairgate/contracts/chat/message.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest, unavailable } from '@fairgate/contracts/errors/refusals.ts'
import type { FileService } from '../../files/file-service.ts'
import { isText } from '../../files/recognise-type.ts'
import type { StoredFile } from '../../store/statements/files.ts'
import type { Conversation } from '../../upstream/port.ts'
import type { ByteBudget } from '../../upstream/reply-limits.ts'

export type FileInlinerDependencies = {
  readonly files: Pick<FileService, 'find' | 'content'>
  /** For the files of one request together, in base64: as much as the same request could send inline. */
  readonly maxBytes: number
  /** For the files of all requests at once. */
  readonly heldBytes: ByteBudget
}

/** `release`: to be called once, when the conversation is no longer needed. */
export type WithFiles = { readonly conversation: Conversation; readonly release: () => void }

/**
 * Throws ApiError `file_not_found`, also for another team's file, `invalid_request` with the part at fault, and `unavailable` if too
 * many files are in memory, or if one cannot be read.
 */
export type InlineFiles = (
  conversation: Conversation,
  teamId: string,
  signal: AbortSignal,
) => Promise<WithFiles>

/** Each is one row to read, and one file or object. */
const maxFiles = 64

type FilePart = Extract<UserPart, { type: 'file' }>
type MessageWithFiles = Extract<ChatMessage, { role: 'user' | 'tool' }>
type Part = Exclude<MessageWithFiles['content'], string>[number]
type Reference = { readonly id: string; readonly param: string; readonly isOfTool: boolean }

/** Costs next to nothing if all messages are plain text. Also true for a part without data, which is then refused. */
export function hasFiles({ messages }: Pick<Conversation, 'messages'>): boolean {
  return messages.some(
    message =>
      mayHoldFiles(message) && typeof message.content !== 'string' && message.content.some(isReference),
  )
}

export function createFileInliner({ files, maxBytes, heldBytes }: FileInlinerDependencies): InlineFiles {
  const findAll = async (references: readonly Reference[], teamId: string) => {
    const found = new Map<string, StoredFile>()
    for (const { id, param } of references) {
      if (found.has(id)) continue
      if (found.size >= maxFiles) throw invalidRequest(param, `A request can name at most ${maxFiles} files.`)
      const file = await files.find(teamId, id).catch(error => Promise.reject(nameParam(error, param)))
      found.set(id, file)
    }
    return found
  }

  const measure = (references: readonly Reference[], found: ReadonlyMap<string, StoredFile>): number => {
    let size = 0
    for (const { id, param } of references) {
      size += Math.ceil((found.get(id)?.bytes ?? 0) / 3) * 4
      if (size > maxBytes)
        throw invalidRequest(
          param,
          `The files of this request have more than ${Math.floor(maxBytes / 4) * 3} bytes together. Send fewer or smaller files.`,
        )
    }
    return size
  }

  const readAll = async (
    references: readonly Reference[],
    found: ReadonlyMap<string, StoredFile>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, UserPart>> => {
    const parts = new Map<string, UserPart>()
    for (const reference of references) {
      const { id, param, isOfTool } = reference
      const file = found.get(id)
      if (file === undefined) continue
      const part = parts.get(id) ?? (await readPart(files, file, param, signal))
      if (isOfTool && part.type === 'input_audio')
        throw invalidRequest(param, `${param}: tool results cannot contain audio.`)
      parts.set(id, part)
    }
    return parts
  }

  return async (conversation, teamId, signal) => {
    const references = listReferences(conversation)
    const found = await findAll(references, teamId)
    const size = measure(references, found)
    if (!heldBytes.take(size))
      throw unavailable(2, undefined, 'Too many files are being read at once. Try again shortly.')
    try {
      const parts = await readAll(references, found, signal)
      const messages = conversation.messages.map(message => replaceFiles(message, parts))
      return { conversation: { ...conversation, messages }, release: () => heldBytes.give(size) }
    } catch (error) {
      heldBytes.give(size)
      throw error
    }
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

const audioFormats: Readonly<Record<string, 'wav' | 'mp3'>> = { 'audio/wav': 'wav', 'audio/mpeg': 'mp3' }

async function readPart(
  files: FileInlinerDependencies['files'],
  file: StoredFile,
  param: string,
  signal: AbortSignal,
): Promise<UserPart> {
  const { mimeType, filename } = file
  const format = Object.hasOwn(audioFormats, mimeType) ? audioFormats[mimeType] : undefined
  const isImage = imageTypes.includes(mimeType)
  if (!isImage && mimeType !== 'application/pdf' && format === undefined && !isText(mimeType))
    throw invalidRequest(
      param,
      `The file ${file.fileId} has the type ${mimeType}. Models accept PDF, PNG, JPEG, WebP, HEIC, HEIF, WAV, MP3 and text.`,
    )
  const bytes = await readWhole(files, file, signal)
  if (isText(mimeType)) return { type: 'text', text: readText(bytes, file, param) }
  const base64 = bytes.toString('base64')
  if (format !== undefined) return { type: 'input_audio', input_audio: { data: base64, format } }
  const url = `data:${mimeType};base64,${base64}`
  return isImage
    ? { type: 'image_url', image_url: { url } }
    : { type: 'file', file: { file_data: url, filename } }
}

/** All bytes of a file, in memory. */
export async function readWhole(
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
