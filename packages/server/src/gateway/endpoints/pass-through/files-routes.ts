// GET …/files/{file} and its download: for the team whose video it is.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { geminiFileSchema } from '@fairgate/contracts/gemini/replies.ts'
import Type from 'typebox'
import type { Call } from '../../../http/call.ts'
import type { Route } from '../../../http/route.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { checkCall, downloadQuery, plainQuery } from './check-call.ts'
import { type PassThroughDependencies, relayErrors, tag } from './describe-verb.ts'
import { rewriteReply } from './rewrite-reply.ts'

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
