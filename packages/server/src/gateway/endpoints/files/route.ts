// /v1/files: upload, list, describe, download and delete the team's files, in OpenAI's format, or in Anthropic's for its clients,
// which send the header `anthropic-version`.

import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { ErrorCode } from '@fairgate/contracts/errors/registry.ts'
import {
  type FileItem,
  type FileList,
  type FileListQuery,
  fileDeletedSchema,
  fileListQuerySchema,
  fileListSchema,
  filePurposes,
  fileSchema,
  fileUploadSchema,
  type MessagesFile,
  type MessagesFileList,
  messagesFileDeletedSchema,
  messagesFileListSchema,
  messagesFileSchema,
} from '@fairgate/contracts/files/file.ts'
import Type from 'typebox'
import type { ReceivedFile } from '../../../files/file-service.ts'
import type { Call } from '../../../http/call.ts'
import { defineFormStreamRoute, defineRoute, type Route } from '../../../http/route.ts'
import type { WriteError } from '../../../http/route-family.ts'
import { writeError } from '../../../http/write-error.ts'
import type { StoredFile } from '../../../store/statements/files.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { freeCallErrors } from '../../flow/call-errors.ts'
import type { EndpointParts } from '../endpoint-parts.ts'

const otherShape =
  "With the header `anthropic-version` the reply has Anthropic's format, and the key may be in `x-api-key`."
const tag = 'Files'
const errors: readonly ErrorCode[] = [...freeCallErrors, 'unavailable']

const isOfAnthropic = ({ headers }: Request): boolean => headers.has('anthropic-version')

/** `writeMessagesError`: errors as Anthropic's clients read them. */
export function filesRoutes(
  { freeCall, files, maxBodyBytes }: EndpointParts,
  writeMessagesError: WriteError,
): Route<Caller>[] {
  const common = {
    tag,
    writeError: ((error, request, callId) =>
      isOfAnthropic(request) ? writeMessagesError(error, request, callId) : writeError(error)) as WriteError,
  }
  const find = (caller: Caller, { params }: Pick<Call, 'params'>) =>
    files.find(caller.team.teamId, params.file_id ?? '')

  const upload = defineFormStreamRoute<Caller>({
    ...common,
    method: 'POST',
    path: '/v1/files',
    summary: 'Upload a file',
    description: `The file belongs to the team and can be input of every dialect until \`expires_at\`. Uploads cost nothing. ${otherShape}`,
    body: fileUploadSchema,
    maxBodyBytes: Math.max(maxBodyBytes, files.maxBytes + formBytes),
    replies: { 200: Type.Union([fileSchema, messagesFileSchema]) },
    errors: [
      ...errors,
      'invalid_request',
      'unsupported_media_type',
      'payload_too_large',
      'body_bytes_exceeded',
      'files_exceeded',
    ],
    handle: (caller, call) =>
      freeCall(caller, call, async () => {
        const { request } = call
        const readStated = (texts: ReadonlyMap<string, string>) =>
          isOfAnthropic(request) ? 'user_data' : readPurpose(texts.get('purpose'))
        const received: ReceivedFile[] = []
        try {
          const texts = await call.body.read('file', async (file, before) => {
            // If it comes after the file, it is checked when the whole form has been read.
            if (before.has('purpose')) readStated(before)
            const whole = await files.receive(
              {
                teamId: caller.team.teamId,
                keyHash: caller.key.keyHash,
                purpose: 'user_data',
                filename: readFilename(file.filename),
                mimeType: file.type,
                bytes: file.maxBytes ?? files.maxBytes,
              },
              keepOpenAfter(file.content, call),
              request.signal,
            )
            received.push(whole)
          })
          const purpose = readStated(texts)
          return describe(request, await files.keep(requireFile(received[0], texts), purpose))
        } catch (error) {
          for (const { upload } of received) await files.remove(upload)
          throw error
        }
      }),
  })

  const list = defineRoute<Caller, undefined, typeof fileListQuerySchema>({
    ...common,
    method: 'GET',
    path: '/v1/files',
    summary: "List the team's files",
    description: otherShape,
    query: fileListQuerySchema,
    replies: { 200: Type.Union([fileListSchema, messagesFileListSchema]) },
    errors: [...errors, 'invalid_request', 'file_not_found'],
    handle: (caller, call) =>
      freeCall(caller, call, () => {
        const { teamId } = caller.team
        return isOfAnthropic(call.request)
          ? listForMessages(teamId, call.query)
          : listFiles(teamId, call.query)
      }),
  })

  const listFiles = async (teamId: string, query: FileListQuery): Promise<FileList> => {
    const { order = 'desc', purpose, after } = query
    const limit = Math.min(query.limit ?? largestPage, largestPage)
    const stated = purpose === undefined ? null : readPurpose(purpose)
    const place = after === undefined ? null : await files.find(teamId, after)
    const found = await files.list({ teamId, limit: limit + 1, order, purpose: stated, after: place })
    const data = found.slice(0, limit).map(buildFile)
    return { object: 'list', data, ...endsOf(data), has_more: found.length > limit }
  }

  const listForMessages = async (teamId: string, query: FileListQuery): Promise<MessagesFileList> => {
    const { before_id: before, after_id, page } = query
    const limit = Math.min(query.limit ?? usualPage, largestPage)
    const after = before ?? after_id ?? page
    const place = after === undefined ? null : await files.find(teamId, after)
    const order = before === undefined ? 'desc' : 'asc'
    const found = await files.list({ teamId, limit: limit + 1, order, purpose: null, after: place })
    const some = found.slice(0, limit).map(buildMessagesFile)
    const data = before === undefined ? some : some.reverse()
    const ends = endsOf(data)
    const has_more = found.length > limit
    return { data, ...ends, has_more, next_page: has_more && before === undefined ? ends.last_id : null }
  }

  const one = defineRoute<Caller, undefined, undefined>({
    ...common,
    method: 'GET',
    path: '/v1/files/:file_id{[^/:]+}',
    summary: 'Get a file’s description',
    description: otherShape,
    replies: { 200: Type.Union([fileSchema, messagesFileSchema]) },
    errors: [...errors, 'file_not_found'],
    handle: (caller, call) =>
      freeCall(caller, call, async () => describe(call.request, await find(caller, call))),
  })

  const content = defineRoute<Caller, undefined, undefined>({
    ...common,
    method: 'GET',
    path: '/v1/files/:file_id{[^/:]+}/content',
    summary: 'Download a file',
    description: 'The bytes as they were uploaded.',
    replies: {
      200: Type.String({ description: 'The file', contentMediaType: 'application/octet-stream' }),
    },
    replyHeaders: ['content-disposition', 'cache-control'],
    errors: [...errors, 'file_not_found'],
    handle: (caller, call) => {
      call.keepOpen()
      return freeCall(caller, call, async headers => {
        const file = await find(caller, call)
        const { signal } = call.request
        return new Response(files.stream(file, signal), {
          headers: {
            ...headers,
            'content-length': String(file.bytes),
            // Teams upload anything: a browser must not run it at our address.
            'content-type': 'application/octet-stream',
            'content-disposition': `attachment; filename="${file.fileId}"`,
            'cache-control': 'private',
          },
        })
      })
    },
  })

  const deletion = defineRoute<Caller, undefined, undefined>({
    ...common,
    method: 'DELETE',
    path: '/v1/files/:file_id{[^/:]+}',
    summary: 'Delete a file',
    description: otherShape,
    replies: { 200: Type.Union([fileDeletedSchema, messagesFileDeletedSchema]) },
    errors: [...errors, 'file_not_found'],
    handle: (caller, call) =>
      freeCall(caller, call, async () => {
        const file = await find(caller, call)
        await files.remove(file)
        const { fileId: id } = file
        return isOfAnthropic(call.request)
          ? { id, type: 'file_deleted' }
          : { id, object: 'file', deleted: true }
      }),
  })

  return [upload, list, one, content, deletion]
}

const largestPage = 1000
/** Anthropic's. */
const usualPage = 20

function isPurpose(text: string | undefined): text is FileItem['purpose'] {
  return filePurposes.some(purpose => purpose === text)
}

function readPurpose(given: string | undefined): FileItem['purpose'] {
  if (isPurpose(given)) return given
  const said =
    given === undefined
      ? 'purpose is missing'
      : `purpose ${JSON.stringify(given.slice(0, 100))} is not supported`
  throw invalidRequest(
    'purpose',
    `${said}. Send user_data or vision: files are kept as input for models, not for batches, assistants or fine-tuning.`,
  )
}

/** For the other fields of the form, and what separates them. */
const formBytes = 64 * 1024

/** When the last byte has arrived, the server's idle time-out ends: writing to an object store may take longer. */
async function* keepOpenAfter(content: AsyncIterable<Uint8Array>, call: Call<unknown>) {
  yield* content
  call.keepOpen()
}

function requireFile(received: ReceivedFile | undefined, texts: ReadonlyMap<string, string>): ReceivedFile {
  if (received !== undefined) return received
  throw invalidRequest(
    'file',
    texts.has('file') ? 'file must be a file, not text: send it with a filename.' : 'file is required.',
  )
}

const longestName = 255

/** The last component of the client's name. */
function readFilename(name: string): string {
  const given = name.split(/[/\\]/).at(-1) ?? ''
  // PostgreSQL accepts no NUL.
  return given.replaceAll('\0', '').slice(0, longestName) || 'unnamed'
}

function endsOf(data: readonly { readonly id: string }[]) {
  return { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }
}

function describe(request: Request, file: StoredFile): FileItem | MessagesFile {
  return isOfAnthropic(request) ? buildMessagesFile(file) : buildFile(file)
}

function buildFile(file: StoredFile): FileItem {
  return {
    id: file.fileId,
    object: 'file',
    bytes: file.bytes,
    created_at: Math.floor(file.createdAt / 1000),
    expires_at: Math.floor(file.expiresAt / 1000),
    filename: file.filename,
    purpose: file.purpose === 'vision' ? 'vision' : 'user_data',
    status: 'processed',
  }
}

function buildMessagesFile(file: StoredFile): MessagesFile {
  return {
    id: file.fileId,
    type: 'file',
    filename: file.filename,
    mime_type: file.mimeType,
    size_bytes: file.bytes,
    created_at: new Date(file.createdAt).toISOString(),
    expires_at: new Date(file.expiresAt).toISOString(),
    downloadable: true,
  }
}
