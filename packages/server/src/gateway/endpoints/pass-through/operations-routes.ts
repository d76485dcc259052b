// GET …/operations/{operation} and …/files/{file}: how a video stands, and its download, for the team that has ordered it (spec 2.8, 3.4).
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { geminiFileSchema, geminiOperationSchema } from '@fairgate/contracts/gemini/replies.ts'
import Type from 'typebox'
import type { CatalogModel } from '../../../catalog/types.ts'
import type { Call } from '../../../http/call.ts'
import type { Route } from '../../../http/route.ts'
import type { VideoTask } from '../../../ledger/video-task.ts'
import { readFileId } from '../../../upstream/gemini/video/map-video.ts'
import { type JsonPath, walkJson } from '../../../upstream/walk-json.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { checkCall, downloadQuery, plainQuery } from './check-call.ts'
import { findNamed, type PassThroughDependencies, relayErrors, tag } from './describe-verb.ts'

const operationNotFound = () =>
  new ApiError('video_not_found', { message: 'There is no such operation of this team.' })

export function operationsRoutes(dependencies: PassThroughDependencies): Route<Caller>[] {
  const { family, catalog, freeCall, videoRelay, videoReads, noteProgress, publicUrl } = dependencies

  const answer = async (caller: Caller, upstreamName: string): Promise<Buffer> => {
    const { teamId } = caller.team
    const task = await videoReads.readUpstreamOperation({ teamId, operation: upstreamName })
    if (task === null || task.upstreamKey === null || task.operation === null) throw operationNotFound()
    const model = modelOf(catalog, task)
    const { reply, progress } = await videoRelay.poll(
      { operation: task.operation, upstreamKey: task.upstreamKey },
      model,
      teamId,
    )
    // Before the client knows: its files are its own, its money is back.
    await noteProgress(task, progress)
    return rewriteReply(reply, { operation: nameOperation(model, task.operation), publicUrl: publicUrl() })
  }

  const describe = (path: string, nameOf: (caller: Caller, call: Call) => string): Route<Caller> => ({
    family,
    method: 'GET',
    path,
    tag,
    summary: 'How a video stands',
    description:
      'An operation that ends with an error, or without a video, is refunded, also when nobody polls it.',
    replies: { 200: geminiOperationSchema },
    errors: [...relayErrors, 'video_not_found'],
    handle: (caller: Caller, call: Call) => {
      checkCall(call.request, plainQuery)
      const name = nameOf(caller, call)
      call.keepOpen()
      return freeCall(
        caller,
        call,
        async headers =>
          new Response(await answer(caller, name), {
            headers: { ...headers, 'content-type': 'application/json; charset=UTF-8' },
          }),
      )
    },
  })

  return [
    describe('/vendor/v1beta/models/:model/operations/:operation{[\\w-]+}', (caller, { params }) => {
      const model = findNamed(catalog, caller, params.model ?? '')
      if (model === undefined) throw operationNotFound()
      return `models/${model.upstreamId}/operations/${params.operation}`
    }),
    describe('/vendor/v1beta/operations/:operation{[\\w-]+}', (_, { params }) =>
      `operations/${params.operation}`),
  ]
}

/** Of a model that the catalog has lost, the names are still to be told apart. */
function modelOf(catalog: PassThroughDependencies['catalog'], task: VideoTask): CatalogModel {
  const model = catalog.find(task.modelId)
  if (model === undefined) throw operationNotFound()
  return model
}

const relayedHeaders = ['content-length', 'content-range', 'content-type', 'accept-ranges']
/** Nothing that a browser runs comes from our address, whatever the storage calls it. */
const mediaType = /^(?:video|audio|image)\/(?!svg)|^application\/octet-stream\b/i
const isShown = (name: string, value: string) => name !== 'content-type' || mediaType.test(value)

const fileId = /^[\w-]{1,100}$/

export function filesRoutes(dependencies: PassThroughDependencies): Route<Caller>[] {
  const { family, freeCall, videoReads, videoRelay, videoUpstream, publicUrl } = dependencies

  /** The id of the upstream key that made it. Throws ApiError `video_not_found`, also for a file of another team. */
  const findOwn = async (caller: Caller, file: string): Promise<string> => {
    const own = fileId.test(file)
      ? await videoReads.readUpstreamFile({ teamId: caller.team.teamId, fileId: file })
      : null
    if (own !== null) return own.upstreamKey
    throw new ApiError('video_not_found', { message: 'There is no such file of this team.' })
  }

  const common = { family, method: 'GET', tag, errors: [...relayErrors, 'video_not_found'] } as const
  const describe: Route<Caller> = {
    ...common,
    path: '/vendor/v1beta/files/:file{[^/:]+}',
    summary: 'What is known of a file',
    replies: { 200: geminiFileSchema },
    handle: (caller: Caller, call: Call) => {
      checkCall(call.request, plainQuery)
      const { file = '' } = call.params
      return freeCall(caller, call, async headers => {
        const reply = await videoRelay.describeFile(file, await findOwn(caller, file), caller.team.teamId)
        return new Response(rewriteReply(reply, { publicUrl: publicUrl() }), {
          headers: { ...headers, 'content-type': 'application/json; charset=UTF-8' },
        })
      })
    },
  }
  const download: Route<Caller> = {
    ...common,
    path: '/vendor/v1beta/files/:file::download',
    summary: 'Download a video',
    description: 'Takes `range`, one range a request.',
    query: Type.Object({ alt: Type.Enum(['media']) }),
    replies: {
      200: Type.String({ description: 'The video', contentMediaType: 'video/mp4' }),
      206: Type.String({ description: 'The part that `range` asked for', contentMediaType: 'video/mp4' }),
      416: 'The file has no such bytes',
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
        const upstreamKey = await findOwn(caller, file)
        const range = request.headers.get('range')
        const reply = await videoUpstream.openFile({ file, upstreamKey, range, signal: request.signal })
        const relayed = relayedHeaders.flatMap((name): [string, string][] => {
          const value = reply.headers.get(name)
          return value === null || !isShown(name, value) ? [] : [[name, value]]
        })
        return new Response(reply.body, {
          status: reply.status,
          headers: { ...headers, ...Object.fromEntries(relayed) },
        })
      })
    },
  }
  return [describe, download]
}

// Puts our names where a reply has the upstream's, and leaves every other byte as it was sent.

type OperationName = { readonly upstream: string; readonly ours: string }

export type ReplyNames = {
  /** The upstream's name of the operation, and ours. */
  readonly operation?: OperationName
  /** Our address of the gateway, without a slash at its end. */
  readonly publicUrl: string
}

/** Addresses of files lead to us: the upstream's would ask for a key that teams do not have. */
export function rewriteReply(reply: string, names: ReplyNames): Buffer {
  const bytes = Buffer.from(reply)
  const pieces: Uint8Array[] = []
  let from = 0
  walkJson(bytes, {
    skipsDeep: true,
    member: (path, start, end) => {
      const text = readString(bytes.subarray(start, end))
      const replacement = text === null ? null : replace(path, text, names)
      if (replacement === null) return
      pieces.push(bytes.subarray(from, start), Buffer.from(JSON.stringify(replacement)))
      from = end
    },
  })
  return Buffer.concat([...pieces, bytes.subarray(from)])
}

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

function readString(bytes: Uint8Array): string | null {
  if (bytes[0] !== 0x22) return null
  const value: unknown = JSON.parse(Buffer.from(bytes).toString())
  return typeof value === 'string' ? value : null
}

/**
 * Operations are named by models: the upstream's by its own ids, ours by ours. `models/veo-2/operations/1` is our
 * `models/video-2/operations/1`; `operations/1` is the same to both.
 */
export function nameOperation(
  { id, upstreamId }: Pick<CatalogModel, 'id' | 'upstreamId'>,
  upstream: string,
): OperationName {
  const prefix = `models/${upstreamId}/`
  const ours = upstream.startsWith(prefix) ? `models/${id}/${upstream.slice(prefix.length)}` : upstream
  return { upstream, ours }
}
