// GET …/operations/{operation}: how a video stands, for the team that has ordered it (spec 2.8, 3.4).
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { geminiOperationSchema } from '@fairgate/contracts/gemini/replies.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import type { Call } from '../../../http/call.ts'
import type { Route } from '../../../http/route.ts'
import type { VideoTask } from '../../../ledger/video-task.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { checkCall, plainQuery } from './check-call.ts'
import { findNamed, type PassThroughDependencies, relayErrors, tag } from './describe-verb.ts'
import { nameOperation, rewriteReply } from './rewrite-reply.ts'

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
