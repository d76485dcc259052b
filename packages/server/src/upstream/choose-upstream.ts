// One chat and one media upstream in front of all configured ones: each call goes where the catalog sends its model, and, if that
// upstream has certainly done nothing, to the model's fallbacks.
import type { CatalogModel } from '../catalog/types.ts'
import type { MediaUpstream } from './media-port.ts'
import type { ChatCall, ChatUpstream, Served } from './port.ts'

export type Upstream = { readonly chat: ChatUpstream; readonly media: MediaUpstream }

/**
 * `upstreams`: by name. The catalog names no other, even after a reload. `isUndone`: true if the upstream that threw this has certainly
 * done, and billed, nothing.
 */
export function chooseUpstream(
  upstreams: ReadonlyMap<string, Upstream>,
  isUndone: (error: unknown) => boolean,
): Upstream {
  const find = ({ upstream: name }: CatalogModel): Upstream => {
    const upstream = upstreams.get(name)
    if (upstream === undefined) throw new Error(`There is no upstream called ${name}.`)
    return upstream
  }
  return {
    chat: Object.freeze<ChatUpstream>({
      complete: (call, signal, team) =>
        ask(call, signal, isUndone, each => find(each.model).chat.complete(each, signal, team)),
      stream: (call, signal, team) =>
        ask(call, signal, isUndone, each => find(each.model).chat.stream(each, signal, team)),
      countTokens: (call, signal, team) => find(call.model).chat.countTokens(call, signal, team),
    }),
    media: Object.freeze<MediaUpstream>({
      makeImages: (call, team) => find(call.model).media.makeImages(call, team),
      speak: (call, team) => find(call.model).media.speak(call, team),
      makeMusic: (call, team) => find(call.model).media.makeMusic(call, team),
      embed: (call, team) => find(call.model).media.embed(call, team),
      transcribe: (call, team) => find(call.model).media.transcribe(call, team),
    }),
  }
}

/**
 * The answer of the first that gives one. If all have certainly done nothing, the failure of the requested model is thrown: it says when
 * to try again.
 */
async function ask<Answer extends Served>(
  call: ChatCall,
  signal: AbortSignal | null,
  isUndone: (error: unknown) => boolean,
  askOne: (call: ChatCall) => Promise<Answer>,
): Promise<Answer> {
  const { fallbacks } = call
  if (fallbacks === undefined) return askOne(call)
  const failures: unknown[] = []
  for (const each of [call, ...fallbacks]) {
    if (each !== call && signal?.aborted === true) break
    try {
      const answer = await askOne(each)
      return each === call ? answer : Object.assign(answer, { servedBy: each.model })
    } catch (error) {
      if (!isUndone(error)) throw error
      failures.push(error)
    }
  }
  throw failures[0]
}
