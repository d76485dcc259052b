// Encodes MP3 on a separate thread: a minute of speech takes a tenth of a second, which would hold up every other request.
import type { EncodeReply, EncodeRequest } from './mp3-worker.ts'
import type { Pcm } from './pcm.ts'

/** 24 kHz mono at 64 kbit/s. Throws an Error if the samples cannot be encoded. */
export type EncodeMp3 = (pcm: Pcm) => Promise<Uint8Array>

export type Mp3Encoder = { readonly encode: EncodeMp3; readonly close: () => void }

type Waiting = { readonly resolve: (bytes: Uint8Array) => void; readonly reject: (error: Error) => void }

/** The thread starts with the first call and is replaced if it fails. */
export function createMp3Encoder(): Mp3Encoder {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | null = null
  let nextId = 0

  const abandon = (reason: string) => {
    worker?.terminate()
    worker = null
    for (const { reject } of waiting.values()) reject(new Error(reason))
    waiting.clear()
  }
  const start = (): Worker => {
    const started = new Worker(new URL('./mp3-worker.ts', import.meta.url))
    started.onmessage = (message: MessageEvent<EncodeReply>) => {
      const { data } = message
      const waiter = waiting.get(data.id)
      waiting.delete(data.id)
      if ('bytes' in data) waiter?.resolve(data.bytes)
      else waiter?.reject(new Error(data.error))
    }
    started.onerror = event => abandon(event.message)
    started.unref()
    return started
  }
  return Object.freeze({
    encode: ({ samples, rate }: Pcm) =>
      new Promise<Uint8Array>((resolve, reject) => {
        worker ??= start()
        nextId += 1
        waiting.set(nextId, { resolve, reject })
        worker.postMessage({ id: nextId, samples, rate } satisfies EncodeRequest)
      }),
    close: () => abandon('The encoder is closed.'),
  })
}
