// GET …/operations/{operation} and …/files/{file}: the status of a video, and its download, for the team that ordered it (spec 2.8, 3.4).
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import {
  geminiFileSchema,
  geminiOperationSchema,
  geminiUploadSchema,
} from '@fairgate/contracts/gemini/replies.ts'
import Type from 'typebox'
import type { CatalogModel } from '../../../catalog/types.ts'
import type { Call } from '../../../http/call.ts'
import type { Route } from '../../../http/route.ts'
import { readFileId } from '../../../upstream/gemini/video/map-video.ts'
import { pickHeaders } from '../../../upstream/read-whole.ts'
import { usualRelayType } from '../../../upstream/relay-port.ts'
import { type JsonPath, rewriteJson } from '../../../upstream/walk-json.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { checkCall, downloadQuery, plainQuery } from './check-call.ts'
import { findNamed, type PassThroughParts, relayErrors, tag } from './describe-verb.ts'
import { buildUpload, idOfUpload, isUploadName } from './own-files.ts'

const operationNotFound = () =>
  new ApiError('video_not_found', { message: 'Your team has no such operation.' })

const operationId = /^[\w-]+$/

export function operationsRoutes(dependencies: PassThroughParts): Route<Caller>[] {
  const { family, catalog, freeCall, videoRelay, videos, publicUrl } = dependencies

  const answer = async (caller: Caller, upstreamName: string, headers: Readonly<Record<string, string>>) => {
    const { teamId } = caller.team
    const task = await videos.reads.readUpstreamOperation({ teamId, operation: upstreamName })
    // The names must stay distinguishable even if the catalog no longer has the model.
    const model = task === null ? undefined : catalog.find(task.modelId)
    if (task === null || task.upstreamKey === null || task.operation === null || model === undefined)
      throw operationNotFound()
    const { operation, upstreamKey } = task
    const { reply, progress } = await videoRelay.poll({ operation, upstreamKey }, model, teamId)
    // Before the client sees the reply: its files are its own, and its money is back.
    await videos.noteProgress(task, progress)
    return relayJson(reply, { operation: nameOperation(model, operation), publicUrl: publicUrl() }, headers)
  }

  const describe = (path: string, nameOf: (caller: Caller, call: Call) => string): Route<Caller> => ({
    family,
    method: 'GET',
    path,
    tag,
    summary: 'Get the status of a video',
    description:
      'An operation that ends with an error or without a video is refunded, even if no one polls it.',
    replies: { 200: geminiOperationSchema },
    errors: [...relayErrors, 'video_not_found'],
    handle: (caller: Caller, call: Call) => {
      checkCall(call.request, plainQuery)
      const name = nameOf(caller, call)
      // No vendor writes such a name, and PostgreSQL cannot look up every text.
      if (!operationId.test(call.params.operation ?? '')) throw operationNotFound()
      call.keepOpen()
      return freeCall(caller, call, headers => answer(caller, name, headers))
    },
  })

  return [
    describe('/vendor/v1beta/models/:model/operations/:operation{[^/:]+}', (caller, { params }) => {
      const model = findNamed(catalog, caller, params.model ?? '')
      if (model === undefined) throw operationNotFound()
      return `models/${model.upstreamId}/operations/${params.operation}`
    }),
    describe('/vendor/v1beta/operations/:operation{[^/:]+}', (_, { params }) =>
      `operations/${params.operation}`),
  ]
}

const relayedHeaders = ['content-length', 'content-range', 'content-type', 'accept-ranges']
/** Our address must never serve anything that a browser runs, no matter which type the storage names. */
const mediaType = /^(?:video|audio|image)\/(?!svg)|^application\/octet-stream\b/i

const fileId = /^[\w-]{1,100}$/

export function filesRoutes(dependencies: PassThroughParts): Route<Caller>[] {
  const { family, freeCall, files, videos, videoRelay, video, publicUrl } = dependencies

  /** The id of the upstream key that made it. Throws ApiError `video_not_found`, also for another team's file. */
  const findOwn = async (caller: Caller, file: string): Promise<string> => {
    const own = fileId.test(file)
      ? await videos.reads.readUpstreamFile({ teamId: caller.team.teamId, fileId: file })
      : null
    if (own !== null) return own.upstreamKey
    throw new ApiError('video_not_found', { message: 'Your team has no such file.' })
  }

  const common = {
    family,
    method: 'GET',
    tag,
    errors: [...relayErrors, 'video_not_found', 'file_not_found'],
  } as const
  const describe: Route<Caller> = {
    ...common,
    path: '/vendor/v1beta/files/:file{[^/:]+}',
    summary: 'Get the metadata of a file',
    replies: { 200: Type.Union([geminiFileSchema, geminiUploadSchema]) },
    handle: (caller: Caller, call: Call) => {
      checkCall(call.request, plainQuery)
      const { file = '' } = call.params
      return freeCall(caller, call, async headers => {
        if (isUploadName(file))
          return buildUpload(await files.find(caller.team.teamId, idOfUpload(file)), publicUrl())
        const reply = await videoRelay.describeFile(file, await findOwn(caller, file), caller.team.teamId)
        return relayJson(reply, { publicUrl: publicUrl() }, headers)
      })
    },
  }
  const download: Route<Caller> = {
    ...common,
    path: '/vendor/v1beta/files/:file::download',
    summary: 'Download a video',
    description: 'Supports `range`, with one range per request.',
    query: Type.Object({ alt: Type.Enum(['media']) }),
    replies: {
      200: Type.String({ description: 'The video', contentMediaType: 'video/mp4' }),
      206: Type.String({ description: 'The requested range', contentMediaType: 'video/mp4' }),
      416: 'The range is outside the file',
    },
    replyHeaders: ['accept-ranges', 'content-range'],
    handle: (caller: Caller, call: Call) => {
      if (!checkCall(call.request, downloadQuery).has('alt')) {
        throw invalidRequest('alt', 'A download needs alt=media.')
      }
      const { file = '' } = call.params
      const { request } = call
      call.keepOpen()
      return freeCall(caller, call, async headers => {
        if (isUploadName(file))
          throw invalidRequest(
            'file',
            `Uploaded files are not downloaded here, as at the vendor. GET /v1/files/${idOfUpload(file)}/content has the bytes.`,
          )
        const upstreamKey = await findOwn(caller, file)
        const range = request.headers.get('range')
        const reply = await video.openFile({ file, upstreamKey, range, signal: request.signal })
        const relayed = pickHeaders(reply.headers, relayedHeaders)
        if (!mediaType.test(relayed['content-type'] ?? '')) delete relayed['content-type']
        return new Response(reply.body, { status: reply.status, headers: { ...headers, ...relayed } })
      })
    },
  }
  return [describe, download]
}

// Replaces the upstream's names in a reply with ours, and leaves every other byte as it was sent.

type OperationName = { readonly upstream: string; readonly ours: string }

export type ReplyNames = {
  /** The upstream's name of the operation, and ours. */
  readonly operation?: OperationName
  /** The gateway's own address, without a trailing slash. */
  readonly publicUrl: string
}

/** File URLs lead to us: the upstream's would need a key that teams do not have. */
export function relayJson(
  reply: string,
  names: ReplyNames,
  headers: Readonly<Record<string, string>>,
): Response {
  const rewritten = rewriteJson(Buffer.from(reply), (path, value) => {
    const text: unknown = value[0] === quote ? JSON.parse(value.toString()) : null
    return typeof text === 'string' ? replace(path, text, names) : null
  })
  return new Response(rewritten ?? reply, { headers: { ...headers, 'content-type': usualRelayType } })
}

const quote = 0x22

function replace(path: JsonPath, text: string, { operation, publicUrl }: ReplyNames): string | null {
  if (operation !== undefined && path.length === 1 && path[0] === 'name')
    return text === operation.upstream ? operation.ours : null
  const last = path.at(-1)
  if (last !== 'uri' && last !== 'downloadUri' && last !== 'download_uri') return null
  const file = readFileId(text)
  if (file === null) return null
  const verb = text.includes(':download') ? ':download?alt=media' : ''
  return `${publicUrl}/vendor/v1beta/files/${file}${verb}`
}

/**
 * Operations are named by models: the upstream's by its own ids, ours by ours. `models/veo-2/operations/1` is our
 * `models/video-2/operations/1`; `operations/1` is the same for both.
 */
export function nameOperation(
  { id, upstreamId }: Pick<CatalogModel, 'id' | 'upstreamId'>,
  upstream: string,
): OperationName {
  const prefix = `models/${upstreamId}/`
  const ours = upstream.startsWith(prefix) ? `models/${id}/${upstream.slice(prefix.length)}` : upstream
  return { upstream, ours }
}
