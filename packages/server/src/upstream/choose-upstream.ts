// One chat and one media upstream in front of all that are configured: each call goes where the catalog says of its model.
import type { CatalogModel } from '../catalog/types.ts'
import type { MediaUpstream } from './media-port.ts'
import type { ChatUpstream } from './port.ts'

export type Upstream = { readonly chat: ChatUpstream; readonly media: MediaUpstream }

/** `upstreams`: by name. The catalog names no other, also after a reload. */
export function chooseUpstream(upstreams: ReadonlyMap<string, Upstream>): Upstream {
  const find = ({ upstream: name }: CatalogModel): Upstream => {
    const upstream = upstreams.get(name)
    if (upstream === undefined) throw new Error(`There is no upstream called ${name}.`)
    return upstream
  }
  return {
    chat: Object.freeze<ChatUpstream>({
      complete: (call, signal) => find(call.model).chat.complete(call, signal),
      stream: (call, signal) => find(call.model).chat.stream(call, signal),
      countTokens: (call, signal) => find(call.model).chat.countTokens(call, signal),
    }),
    media: Object.freeze<MediaUpstream>({
      makeImages: call => find(call.model).media.makeImages(call),
      speak: call => find(call.model).media.speak(call),
      makeMusic: call => find(call.model).media.makeMusic(call),
      embed: call => find(call.model).media.embed(call),
      transcribe: call => find(call.model).media.transcribe(call),
    }),
  }
}
