// Time-outs for tests of the upstreams: a minute for every kind of call.
import type { UpstreamTimeouts } from '../timeouts.ts'

export const testTimeouts: UpstreamTimeouts = {
  chat: 60_000,
  images: 60_000,
  speech: 60_000,
  music: 60_000,
  transcription: 60_000,
  embeddings: 60_000,
  videos: 60_000,
}
