// Encodes audio on separate threads: a minute of speech takes a tenth of a second as MP3 and seconds as Opus, which would hold up every
// other request.
import type { EncodedFormat, EncodeReply, EncodeRequest } from './encode-thread.ts'
import type { Pcm } from './pcm.ts'

/**
 * MP3: 24 kHz mono at 64 kbit/s. Opus: in Ogg, mono at 32 kbit/s. FLAC: the same samples. Throws an Error if the samples cannot be
 * encoded.
 */
export type EncodeAudio = (pcm: Pcm, format: EncodedFormat) => Promise<Uint8Array>

export type AudioEncoder = { readonly encode: EncodeAudio; readonly close: () => void }

/** MP3 has a thread of its own, so that it never waits for the slower formats. */
export function createAudioEncoder(): AudioEncoder {
  const lame = createThread(() => new Worker(new URL('./mp3-worker.ts', import.meta.url)))
  const libav = createThread(() => new Worker(new URL('./libav-worker.ts', import.meta.url)))
  return Object.freeze({
    encode: (pcm: Pcm, format: EncodedFormat) => (format === 'mp3' ? lame : libav).encode(pcm, format),
    close: () => {
      lame.close()
      libav.close()
    },
  })
}

type Waiting = { readonly resolve: (bytes: Uint8Array) => void; readonly reject: (error: Error) => void }

/** The thread starts with the first call and is replaced if it fails. */
function createThread(open: () => Worker): AudioEncoder {
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
    const started = open()
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
    encode: ({ samples, rate }, format) =>
      new Promise<Uint8Array>((resolve, reject) => {
        worker ??= start()
        nextId += 1
        waiting.set(nextId, { resolve, reject })
        worker.postMessage({ id: nextId, samples, rate, format } satisfies EncodeRequest)
      }),
    close: () => abandon('The encoder is closed.'),
  })
}
