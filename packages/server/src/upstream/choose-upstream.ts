// One upstream in front of all configured ones: each call goes where the catalog sends its model, and, if that upstream has certainly
// done nothing, to the model's fallbacks.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { CatalogModel } from '../catalog/types.ts'
import type { MediaUpstream } from './media-port.ts'
import type { ChatUpstream, Served } from './port.ts'
import type { MessagesRelay } from './relay-port.ts'

export type Upstream = {
  readonly chat: ChatUpstream
  /** Null for a kind that the catalog gives only chat models. */
  readonly media: MediaUpstream | null
  /** For upstreams that speak Anthropic's API. */
  readonly messages?: MessagesRelay
}

type Candidate = { readonly model: CatalogModel }

/**
 * The answer of the first that gives one: the requested model, or a fallback, which is then named in `servedBy`. If all have certainly
 * done nothing, the failure of the requested model is thrown: it says when to try again.
 */
export type AskInTurn = <Asked extends Candidate, Answer extends Served>(
  candidates: readonly [Asked, ...Asked[]],
  signal: AbortSignal | null,
  askOne: (asked: Asked) => Promise<Answer>,
) => Promise<Answer>

/**
 * `upstreams`: by name. The catalog names no other, even after a reload. `isUndone`: true if the upstream that threw this has certainly
 * done, and billed, nothing.
 */
export function chooseUpstream(
  upstreams: ReadonlyMap<string, Upstream>,
  isUndone: (error: unknown) => boolean,
) {
  const find = ({ upstream: name }: CatalogModel): Upstream => {
    const upstream = upstreams.get(name)
    if (upstream === undefined) throw new Error(`There is no upstream called ${name}.`)
    return upstream
  }
  const findPort = <Port extends 'media' | 'messages'>(model: CatalogModel, port: Port) => {
    const found = find(model)[port]
    if (!found) throw new Error(`The upstream ${model.upstream} has no port for ${port}.`)
    return found
  }
  const askInTurn = createAskInTurn(isUndone)
  return {
    askInTurn,
    chat: Object.freeze<ChatUpstream>({
      complete: (call, signal, team) =>
        askInTurn([call, ...(call.fallbacks ?? none)], signal, each =>
          find(each.model).chat.complete(each, signal, team),
        ),
      stream: (call, signal, team) =>
        askInTurn([call, ...(call.fallbacks ?? none)], signal, each =>
          find(each.model).chat.stream(each, signal, team),
        ),
      countTokens: (call, signal, team) => find(call.model).chat.countTokens(call, signal, team),
    }),
    media: Object.freeze<MediaUpstream>({
      makeImages: (call, team) => findPort(call.model, 'media').makeImages(call, team),
      speak: (call, team) => findPort(call.model, 'media').speak(call, team),
      makeMusic: (call, team) => findPort(call.model, 'media').makeMusic(call, team),
      embed: (call, team) => findPort(call.model, 'media').embed(call, team),
      transcribe: (call, team) => findPort(call.model, 'media').transcribe(call, team),
    }),
    messages: Object.freeze<MessagesRelay>({
      call: (call, team) => findPort(call.model, 'messages').call(call, team),
      open: (call, signal, team) => findPort(call.model, 'messages').open(call, signal, team),
      countTokens: (call, signal, team) => findPort(call.model, 'messages').countTokens(call, signal, team),
    }),
  }
}

const none: readonly never[] = []

function createAskInTurn(isUndone: (error: unknown) => boolean): AskInTurn {
  return async (candidates, signal, askOne) => {
    const [requested] = candidates
    if (candidates.length === 1) return askOne(requested)
    const failures: unknown[] = []
    for (const each of candidates) {
      if (each !== requested && signal?.aborted === true) break
      try {
        const answer = await askOne(each)
        return each === requested ? answer : Object.assign(answer, { servedBy: each.model })
      } catch (error) {
        if (!isUndone(error) && (each === requested || !isUntranslatable(error))) throw error
        failures.push(error)
      }
    }
    throw failures[0]
  }
}

/** Nothing was sent: the request has something that this kind of upstream has no form for. */
function isUntranslatable(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'invalid_request'
}
