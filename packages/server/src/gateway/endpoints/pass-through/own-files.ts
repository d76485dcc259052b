// The team's files in the vendor's format: their names, their descriptions, their list and their deletion. The files stay here: at the
// vendor all teams would share one project, and a file would bind each call to the upstream key that had uploaded it.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { type GeminiUpload, geminiUploadSchema } from '@fairgate/contracts/gemini/replies.ts'
import Type from 'typebox'
import type { Call } from '../../../http/call.ts'
import type { Route } from '../../../http/route.ts'
import type { StoredFile } from '../../../store/statements/files.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { freeCallErrors } from '../../flow/call-errors.ts'
import { checkCall, pageQuery, plainQuery } from './check-call.ts'
import { type PassThroughParts, tag } from './describe-verb.ts'

// The vendor's clients expect letters and digits: its name is our id without `file-`.

const uploadName = /^[0-9a-f]{24}$/

/** True for the name of an uploaded file. The vendor's own names of videos are shorter. */
export function isUploadName(name: string): boolean {
  return uploadName.test(name)
}

export function idOfUpload(name: string): string {
  return `file-${name}`
}

export function nameOfUpload(fileId: string): string {
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
