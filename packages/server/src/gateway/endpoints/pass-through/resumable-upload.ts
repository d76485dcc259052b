// The vendor's resumable uploads, POST …/upload/v1beta/files: their addresses, which are credentials, and their pieces.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { geminiUploadSchema } from '@fairgate/contracts/gemini/replies.ts'
import Type from 'typebox'
import type { Directory } from '../../../directory/create-directory.ts'
import type { FileService } from '../../../files/file-service.ts'
import type { Call } from '../../../http/call.ts'
import { parseJson } from '../../../http/read-body.ts'
import type { Route } from '../../../http/route.ts'
import type { Authenticate } from '../../../http/route-family.ts'
import type { StoredFile } from '../../../store/statements/files.ts'
import { asRecord } from '../../../upstream/narrow-json.ts'
import { type Caller, findCallerOfKey } from '../../flow/authenticate.ts'
import { freeCallErrors } from '../../flow/call-errors.ts'
import { refuseKey } from '../../flow/read-key.ts'
import { checkCall, plainQuery } from './check-call.ts'
import { type PassThroughParts, tag } from './describe-verb.ts'
import { buildUpload, idOfUpload, nameOfUpload } from './own-files.ts'

/** The caller of an upload that has begun; null for any other request. */
export type AuthenticateUpload = (request: Request) => Promise<Caller | null>

type UploadAuthentication = Pick<Directory, 'findKey' | 'findTeam'> & {
  readonly files: Pick<FileService, 'findUpload'>
  /** Unix ms. */
  readonly clock: () => number
}

/**
 * The vendor's Python client sends the pieces without its key, so their address is a credential: it cannot be guessed, and only adds to
 * one upload that is not finished. Throws ApiError `invalid_api_key` for an unknown one, and for a blocked key.
 */
export function createAuthenticateUpload(dependencies: UploadAuthentication): AuthenticateUpload {
  const { files, findKey } = dependencies
  return async ({ url }) => {
    const upload = readUploadId(new URL(url).searchParams.get('upload_id'))
    if (upload === null) return null
    const unknown = () => refuseKey('This upload does not exist or is over. Start a new one.')
    const { keyHash } = await files.findUpload(upload.teamId, upload.fileId).catch(error => {
      throw error instanceof ApiError && error.code === 'file_not_found' ? unknown() : error
    })
    const key = findKey(keyHash)
    if (key === undefined) throw unknown()
    return findCallerOfKey(dependencies, key)
  }
}

function writeUploadId({ teamId, fileId }: StoredFile): string {
  return `${Buffer.from(teamId).toString('base64url')}.${nameOfUpload(fileId)}`
}

function readUploadId(text: string | null): { readonly teamId: string; readonly fileId: string } | null {
  const [, team, file] = /^([\w-]{1,1000})\.([0-9a-f]{24})$/.exec(text ?? '') ?? []
  if (team === undefined || file === undefined) return null
  // PostgreSQL accepts no NUL.
  const teamId = Buffer.from(team, 'base64url').toString().replaceAll('\0', '')
  return { teamId, fileId: idOfUpload(file) }
}

const uploadQuery = {
  ...plainQuery,
  upload_id: (value: string) => readUploadId(value) !== null,
  upload_protocol: (value: string) => value === 'resumable',
}
/** The vendor's. */
const granularity = 256 * 1024
const longestName = 255

export function uploadRoute(dependencies: PassThroughParts): Route<Caller> {
  const { freeCall, files, publicUrl, maxBodyBytes } = dependencies
  const family = {
    ...dependencies.family,
    authenticate: (async (request, call) => {
      const caller = await dependencies.authenticateUpload(request)
      return caller ?? (await dependencies.family.authenticate(request, call))
    }) satisfies Authenticate<Caller>,
  }

  const start = async ({ key, team }: Caller, { request, body }: Call<Uint8Array>): Promise<Response> => {
    const { headers, url } = request
    if (headers.get('x-goog-upload-protocol') !== 'resumable' || !readCommands(headers).has('start'))
      throw invalidRequest(
        'x-goog-upload-protocol',
        'Uploads must be resumable: send x-goog-upload-protocol: resumable and x-goog-upload-command: start.',
      )
    const { displayName, mimeType } = readMetadata(body)
    const name = displayName ?? headers.get('x-goog-upload-file-name') ?? ''
    const upload = await files.start({
      teamId: team.teamId,
      keyHash: key.keyHash,
      purpose: 'user_data',
      filename: name.replaceAll('\0', '').slice(0, longestName) || 'unnamed',
      mimeType: headers.get('x-goog-upload-header-content-type') ?? mimeType ?? '',
      bytes: readNumber(headers, 'x-goog-upload-header-content-length'),
    })
    const path = new URL(url).pathname
    const address = `${publicUrl()}${path}?upload_id=${writeUploadId(upload)}&upload_protocol=resumable`
    return Response.json(
      {},
      {
        headers: {
          'x-goog-upload-url': address,
          'x-goog-upload-status': 'active',
          'x-goog-upload-chunk-granularity': String(granularity),
        },
      },
    )
  }

  const goOn = async (caller: Caller, { request, body }: Call<Uint8Array>, id: string): Promise<Response> => {
    const { headers, signal } = request
    const place = readUploadId(id)
    if (place === null || place.teamId !== caller.team.teamId) throw new ApiError('file_not_found')
    const upload = await files.findUpload(place.teamId, place.fileId)
    const received = sumOf(upload)
    const commands = readCommands(headers)
    // Finished, and its client may not have received the reply.
    if (upload.isReady && !commands.has('query')) requireRepeated(upload, commands, headers, body)
    if (upload.isReady) return reply('final', received, { file: buildUpload(upload, publicUrl()) })
    if (commands.has('cancel')) {
      await files.remove(upload)
      return reply('cancelled', received)
    }
    if (commands.has('query')) return reply('active', received)
    if (!commands.has('upload') && !commands.has('finalize'))
      throw invalidRequest(
        'x-goog-upload-command',
        'x-goog-upload-command must be start, upload, finalize, query or cancel.',
      )
    const whole = commands.has('upload') ? await addPiece(upload, headers, body, signal) : upload
    if (!commands.has('finalize')) return reply('active', sumOf(whole))
    const file = buildUpload(await files.finish(whole, signal), publicUrl())
    return reply('final', sumOf(whole), { file })
  }

  const addPiece = async (
    upload: StoredFile,
    headers: Headers,
    piece: Uint8Array,
    signal: AbortSignal,
  ): Promise<StoredFile> => {
    const received = sumOf(upload)
    const offset = readNumber(headers, 'x-goog-upload-offset')
    // Sent again because the reply was lost.
    if (piece.byteLength > 0 && offset + piece.byteLength === received) return upload
    if (offset !== received)
      throw invalidRequest(
        'x-goog-upload-offset',
        `x-goog-upload-offset is ${offset}, but ${received} bytes were received. Continue there.`,
      )
    if (received + piece.byteLength > upload.bytes)
      throw invalidRequest(
        'x-goog-upload-offset',
        `The upload is larger than the announced ${upload.bytes} bytes.`,
      )
    const last = upload.parts.at(-1)
    if (last !== undefined && last % granularity !== 0)
      throw invalidRequest(
        'x-goog-upload-command',
        `Pieces but the last must be a multiple of ${granularity} bytes. Start a new upload.`,
      )
    return await files.append(upload, piece, signal)
  }

  return {
    family,
    method: 'POST',
    path: '/vendor/upload/v1beta/files',
    // The vendor's newer clients use `v1` unless configured otherwise.
    aliases: ['/vendor/upload/v1/files', '/upload/v1beta/files', '/upload/v1/files'],
    tag,
    summary: 'Upload a file in pieces',
    description:
      "The vendor's resumable upload, as its clients do it: the first request starts it with `x-goog-upload-command: start`, the type and the size in " +
      '`x-goog-upload-header-content-type` and `-length`, and gets the address for the pieces in `x-goog-upload-url`. The pieces need no key. ' +
      'The last one also has the command `finalize`; its reply is the file.',
    query: Type.Object({
      upload_id: Type.Optional(Type.String({ description: 'The one in the address `x-goog-upload-url`' })),
      upload_protocol: Type.Optional(Type.Enum(['resumable'])),
    }),
    bodyKind: 'raw',
    body: Type.Unknown({
      description: 'To start: `{"file": {"displayName"}}` or nothing. Then: the next piece',
    }),
    maxBodyBytes,
    replies: { 200: Type.Object({ file: Type.Optional(geminiUploadSchema) }) },
    replyHeaders: [
      'x-goog-upload-status',
      'x-goog-upload-url',
      'x-goog-upload-chunk-granularity',
      'x-goog-upload-size-received',
    ],
    errors: [
      ...freeCallErrors,
      'invalid_request',
      'invalid_json',
      'unsupported_media_type',
      'payload_too_large',
      'body_bytes_exceeded',
      'file_not_found',
      'files_exceeded',
      'unavailable',
    ],
    handle: (caller: Caller, call: Call<Uint8Array>) =>
      freeCall(caller, call, () => {
        const id = checkCall(call.request, uploadQuery).get('upload_id')
        return id === undefined ? start(caller, call) : goOn(caller, call, id)
      }),
  }
}

/** Throws ApiError `invalid_request` unless it is the last request of a finished upload once more: its last bytes and `finalize`. */
function requireRepeated(
  { bytes }: StoredFile,
  commands: ReadonlySet<string>,
  headers: Headers,
  piece: Uint8Array,
): void {
  const isLast = commands.has('finalize') && !commands.has('cancel')
  if (isLast && readNumber(headers, 'x-goog-upload-offset') + piece.byteLength === bytes) return
  throw invalidRequest(
    'x-goog-upload-command',
    `This upload is over: all ${bytes} bytes were received. Only its last request can be sent again. Start a new upload.`,
  )
}

function sumOf({ parts }: StoredFile): number {
  return parts.reduce((sum, size) => sum + size, 0)
}

function reply(status: string, received: number, body: object = {}): Response {
  const headers = { 'x-goog-upload-status': status, 'x-goog-upload-size-received': String(received) }
  return Response.json(body, { headers })
}

function readCommands(headers: Headers): ReadonlySet<string> {
  const given = headers.get('x-goog-upload-command') ?? ''
  return new Set(given.split(',').map(command => command.trim().toLowerCase()))
}

function readNumber(headers: Headers, name: string): number {
  const text = headers.get(name) ?? ''
  if (/^\d{1,12}$/.test(text)) return Number(text)
  throw invalidRequest(
    name,
    `The header ${name} must be a number of bytes, not ${JSON.stringify(text.slice(0, 100))}.`,
  )
}

/** From `{"file": {"displayName", "mimeType"}}`, in both spellings. Clients may send nothing. */
function readMetadata(body: Uint8Array): { displayName?: string; mimeType?: string } {
  const file = body.byteLength === 0 ? null : asRecord(asRecord(parseJson(body))?.file)
  if (file === null) return {}
  if (file.name !== undefined && file.name !== null)
    throw invalidRequest(
      'file.name',
      'Names of files are given by the gateway: leave file.name out and set file.displayName.',
    )
  const displayName = file.displayName ?? file.display_name
  const mimeType = file.mimeType ?? file.mime_type
  return {
    ...(typeof displayName === 'string' ? { displayName } : {}),
    ...(typeof mimeType === 'string' ? { mimeType } : {}),
  }
}
