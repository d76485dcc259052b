// Answers embedContent and batchEmbedContents: vectors without a usage block, as the vendor does.
import { countTokens } from '../count-tokens.ts'
import {
  invalid,
  type Json,
  member,
  optionalInteger,
  optionalObject,
  optionalText,
  readBody,
  refuseUnknown,
  requireList,
  requireObject,
} from '../json.ts'
import { readHeader } from '../make-trouble.ts'
import { findSwitches } from '../switches.ts'
import type { Tools } from '../tools.ts'
import { embed } from './embed.ts'

const names = new Set(['model', 'content', 'taskType', 'title', 'outputDimensionality'])
const batchNames = new Set(['requests'])
const largestBatch = 100
const maxDimensions = 3_072

type Wish = { readonly text: string; readonly dimensions: number }

export function createEmbed(tools: Tools) {
  const answer = async (model: string, wishes: readonly Wish[], request: Request): Promise<number[][]> => {
    const found = findSwitches(wishes[0]?.text ?? '')
    await tools.trouble({ ...tools.commonSwitches(), ...found, ...readHeader(request) }, request.signal)
    const prompt = wishes.reduce((sum, { text }) => sum + countTokens(text), 0)
    tools.counters.bill(model, { prompt, cached: 0, candidates: 0, thoughts: 0 })
    return wishes.map(({ text, dimensions }) => embed(text, dimensions))
  }

  return {
    one: (model: string, request: Request): Promise<Response> =>
      tools.countCall(false, request, async () => {
        const wish = readWish(requireObject(await readBody(request), 'the request'), model, '')
        const [values] = await answer(model, [wish], request)
        return Response.json({ embedding: { values } })
      }),
    /** Throws VendorError 400 for no requests, too many, or a model other than the one in the address. */
    many: (model: string, request: Request): Promise<Response> =>
      tools.countCall(false, request, async () => {
        const body = requireObject(await readBody(request), 'the request')
        refuseUnknown(body, batchNames, '')
        const requests = requireList(member(body, 'requests'), "'requests'")
        if (requests.length === 0 || requests.length > largestBatch) {
          throw invalid(
            `* BatchEmbedContentsRequest.requests: from 1 to ${largestBatch} requests can be in one batch`,
          )
        }
        const wishes = requests.map((value, index) => {
          const place = `requests[${index}]`
          const one = requireObject(value, place)
          if (optionalText(one, 'model') === undefined) {
            throw invalid(`* BatchEmbedContentsRequest.${place}.model: model is not specified`)
          }
          return readWish(one, model, ` at '${place}'`)
        })
        const vectors = await answer(model, wishes, request)
        return Response.json({ embeddings: vectors.map(values => ({ values })) })
      }),
  }
}

function readWish(body: Json, model: string, place: string): Wish {
  refuseUnknown(body, names, place)
  const named = optionalText(body, 'model')
  if (named !== undefined && named !== `models/${model}`) {
    throw invalid(`The model of the request must be models/${model}.`)
  }
  const parts = requireList(member(optionalObject(body, 'content'), 'parts') ?? [], "'content.parts'")
  const texts = parts.map(part => optionalText(requireObject(part, "'content.parts'"), 'text') ?? '')
  if (texts.join('') === '') throw invalid('* EmbedContentRequest.content: content is required')
  const usual = model.startsWith('text-embedding') ? 768 : maxDimensions
  const dimensions = optionalInteger(body, 'outputDimensionality') ?? usual
  if (dimensions < 1 || dimensions > usual) {
    throw invalid(`output_dimensionality must be from 1 to ${usual}.`)
  }
  return { text: texts.join('\n'), dimensions }
}
