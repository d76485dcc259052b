// The vendor's files: resumable uploads (POST …/upload/v1beta/files), their list and their deletion. The files stay here: at the vendor all
// teams would share one project, and a file would bind each call to the upstream key that had uploaded it.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { type GeminiUpload, geminiUploadSchema } from '@fairgate/contracts/gemini/replies.ts'
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
import { checkCall, pageQuery, plainQuery } from './check-call.ts'
import { type PassThroughParts, tag } from './describe-verb.ts'

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

// The vendor's clients expect letters and digits: its name is our id without `file-`.

const uploadName = /^[0-9a-f]{24}$/

/** True for the name of an uploaded file. The vendor's own names of videos are shorter. */
export function isUploadName(name: string): boolean {
  return uploadName.test(name)
}

export function idOfUpload(name: string): string {
  return `file-${name}`
}

function nameOfUpload(fileId: string): string {
  return fileId.replace(/^file-/, '')
}

export function buildUpload(file: StoredFile, publicUrl: string): GeminiUpload {
  const name = `files/${nameOfUpload(file.fileId)}`
  const created = new Date(file.createdAt).toISOString()
  return {
    name,
    displayName: file.filename,
    mimeType: file.mimeType,
    sizeBytes: String(file.bytes),
    createTime: created,
    updateTime: created,
    expirationTime: new Date(file.expiresAt).toISOString(),
    sha256Hash: Buffer.from(file.sha256 ?? '', 'hex').toString('base64'),
    uri: `${publicUrl}/vendor/v1beta/${name}`,
    state: 'ACTIVE',
    source: 'UPLOADED',
  }
}

// Uploads.

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
    aliases: ['/upload/v1beta/files'],
    tag,
    summary: 'Upload a file in pieces',
    description:
      "The vendor's resumable upload, as its clients do it: the first request starts it with `x-goog-upload-command: start`, the type and the size in " +
      '`x-goog-upload-header-content-type` and `-length`, and gets the address for the pieces in `x-goog-upload-url`. The pieces need no key. ' +
      'The last one also has the command `finalize`; its reply is the file.',
    query: Type.Object({
      upload_id: Type.Optional(Type.String({ description: 'Of the address in `x-goog-upload-url`' })),
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

// The list, and deletion.

const usualPage = 10
const largestPage = 100

export function ownFilesRoutes({ family, freeCall, files, publicUrl }: PassThroughParts): Route<Caller>[] {
  const common = { family, tag }
  const list: Route<Caller> = {
    ...common,
    method: 'GET',
    path: '/vendor/v1beta/files',
    summary: "List the team's uploaded files",
    description: 'Videos are not in it.',
    query: Type.Object({
      pageSize: Type.Optional(
        Type.Integer({ minimum: 0, description: `Default ${usualPage}, at most ${largestPage}` }),
      ),
      pageToken: Type.Optional(Type.String({ description: '`nextPageToken` of the previous page' })),
    }),
    replies: {
      200: Type.Object({
        files: Type.Optional(Type.Array(geminiUploadSchema)),
        nextPageToken: Type.Optional(Type.String()),
      }),
    },
    errors: [...freeCallErrors, 'invalid_request', 'file_not_found', 'unavailable'],
    handle: (caller: Caller, call: Call) =>
      freeCall(caller, call, async () => {
        const query = checkCall(call.request, pageQuery)
        const { teamId } = caller.team
        const limit = Math.min(Number(query.get('pageSize') ?? 0) || usualPage, largestPage)
        const token = query.get('pageToken')
        if (token !== undefined && !isUploadName(token))
          throw invalidRequest(
            'pageToken',
            'pageToken is not valid. Use the nextPageToken of the previous page.',
          )
        const after = token === undefined ? null : await files.find(teamId, idOfUpload(token))
        const found = await files.list({ teamId, limit: limit + 1, order: 'desc', purpose: null, after })
        const page = found.slice(0, limit)
        const last = found.length > limit ? page.at(-1) : undefined
        return {
          ...(page.length === 0 ? {} : { files: page.map(file => buildUpload(file, publicUrl())) }),
          ...(last === undefined ? {} : { nextPageToken: nameOfUpload(last.fileId) }),
        }
      }),
  }
  const deletion: Route<Caller> = {
    ...common,
    method: 'DELETE',
    path: '/vendor/v1beta/files/:file{[^/:]+}',
    summary: 'Delete an uploaded file',
    replies: { 200: Type.Object({}) },
    errors: [...freeCallErrors, 'invalid_request', 'file_not_found', 'unavailable'],
    handle: (caller: Caller, call: Call) =>
      freeCall(caller, call, async () => {
        checkCall(call.request, plainQuery)
        await files.remove(await files.find(caller.team.teamId, idOfUpload(call.params.file ?? '')))
        return {}
      }),
  }
  return [list, deletion]
}
