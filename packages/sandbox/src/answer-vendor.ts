// Routes the vendor's addresses to their endpoints after checking the key.
import { createGenerate, type GenerateCall } from './answer-generate.ts'
import { createFiles, type FindFile } from './files/answer-files.ts'
import { invalid, isObject, member } from './json.ts'
import type { SandboxKeys } from './keys.ts'
import { createEmbed } from './kinds/answer-embed.ts'
import { createPredict } from './kinds/answer-predict.ts'
import { describeModel, hasMethod, listModels, usualModels } from './models/list-models.ts'
import { readRequest } from './read-request.ts'
import { countPrompt, sumTokens } from './reply/plan-reply.ts'
import type { Tools } from './tools.ts'
import { VendorError } from './vendor-error.ts'
import { createVideo } from './video/answer-video.ts'

export type VendorFacts = {
  readonly tools: Tools
  readonly keys: SandboxKeys
  /** Absent: any model of the vendor's families. */
  readonly models: readonly string[] | undefined
}

const modelPath = /^\/v1(?:beta)?\/models\/([^:/]+)(?::([A-Za-z]+))?$/
const operationPath = /^\/v1(?:beta)?\/(?:models\/([^:/]+)\/)?operations\/([^:/]+)$/
const filePath = /^\/(?:download\/)?v1(?:beta)?\/files\/([^:/]+)(:download)?$/
const uploadPath = '/upload/v1beta/files'
const storagePath = /^\/storage\/([^/]+)$/
const families = /^(?:gemini|imagen|veo|lyria|text-embedding)-/

/** Throws VendorError for requests that the vendor refuses. */
export function createVendor({ tools, keys, models }: VendorFacts) {
  const generate = createGenerate(tools)
  const embed = createEmbed(tools)
  const predict = createPredict(tools)
  const video = createVideo(tools)
  const files = createFiles(tools)
  const hasModel = (model: string) => (models === undefined ? families.test(model) : models.includes(model))

  const answerModel = async (
    model: string,
    method: string | undefined,
    key: string,
    request: Request,
    url: URL,
  ): Promise<Response> => {
    if (!hasModel(model)) throw modelNotFound(model, method)
    if (method === undefined) return Response.json(describeModel(model))
    if (!hasMethod(model, method)) throw modelNotFound(model, method)
    switch (method) {
      case 'generateContent':
        return generate({ model, form: 'unary', request, findFile: files.finder(key) })
      case 'streamGenerateContent':
        return generate({ model, form: streamForm(url), request, findFile: files.finder(key) })
      case 'countTokens':
        tools.counters.count()
        return Response.json(await countTokens(model, request, files.finder(key)))
      case 'embedContent':
        return embed.one(model, request)
      case 'batchEmbedContents':
        return embed.many(model, request)
      case 'predict':
        return predict(model, request)
      case 'predictLongRunning':
        return video.start(model, key, request)
      default:
        throw modelNotFound(model, method)
    }
  }

  return async (request: Request, url: URL): Promise<Response> => {
    const path = url.pathname
    const stored = storagePath.exec(path)?.[1]
    if (stored !== undefined) return video.store(stored, request, url)
    const uploadId = path === uploadPath ? url.searchParams.get('upload_id') : null
    if (uploadId !== null) return files.append(uploadId, request, url.origin)
    const key = checkKey(request, url, keys)
    if (path === uploadPath) return files.start(key, request, url.origin)
    if (path === '/v1beta/files') return files.list(key, url.origin)
    const found = modelPath.exec(path)
    if (found !== null) return answerModel(found[1] ?? '', found[2], key, request, url)
    if (path === '/v1beta/models' || path === '/v1/models') {
      return Response.json(listModels(models ?? usualModels, url.searchParams))
    }
    const operation = operationPath.exec(path)
    if (operation !== null) return video.poll(operation[2] ?? '', operation[1] ?? null, key, url.origin)
    const file = filePath.exec(path)
    if (file !== null) {
      const id = file[1] ?? ''
      if (file[2] !== undefined) return video.download(id, key, url)
      if (request.method === 'DELETE') return files.remove(id, key)
      return files.describe(id, key, url.origin) ?? video.describe(id, key, url.origin)
    }
    throw modelNotFound('', undefined)
  }
}

function streamForm(url: URL): GenerateCall['form'] {
  return url.searchParams.get('alt') === 'sse' ? 'sse' : 'array'
}

/** Like the vendor: 403 without a key, 400 with a wrong one. */
function checkKey(request: Request, url: URL, keys: SandboxKeys): string {
  const key = request.headers.get('x-goog-api-key') ?? url.searchParams.get('key')
  if (key === null) throw new VendorError(403)
  keys.check(key)
  return key
}

function modelNotFound(model: string, method = 'generateContent'): VendorError {
  return new VendorError(
    404,
    `models/${model} is not found for API version v1beta, or is not supported for ${method}. Call ListModels to see the list of available models and their supported methods.`,
  )
}

/** `contents` alone or a whole `generateContentRequest`; the same number as a call's promptTokenCount. */
async function countTokens(model: string, request: Request, findFile: FindFile): Promise<object> {
  const body: unknown = await request.json()
  if (!isObject(body)) throw invalid('The request must be an object.')
  const details = countPrompt(readRequest(member(body, 'generateContentRequest') ?? body, model, findFile))
  return { totalTokens: sumTokens(details), promptTokensDetails: details }
}
