// Bounds for tests of the upstreams: a mebibyte for every whole reply, two for a stream, a minute of silence.
import { createByteBudget } from '../byte-budget.ts'
import type { ReplyBounds } from '../reply-bounds.ts'

const mebibyte = 1024 * 1024

export const testBounds: ReplyBounds = {
  replyBytes: {
    chat: mebibyte,
    images: mebibyte,
    speech: mebibyte,
    music: mebibyte,
    transcription: mebibyte,
    embeddings: mebibyte,
    videos: mebibyte,
  },
  streamBytes: 2 * mebibyte,
  silenceMs: 60_000,
  heldBytes: createByteBudget(64 * mebibyte),
}
