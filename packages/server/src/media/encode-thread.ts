// What the threads that encode audio have in common: their messages, and one call after the other.

declare const self: Worker

export type EncodedFormat = 'mp3' | 'opus' | 'flac'

export type EncodeRequest = {
  readonly id: number
  readonly samples: Uint8Array
  readonly rate: number
  readonly format: EncodedFormat
}

export type EncodeReply =
  | { readonly id: number; readonly bytes: Uint8Array }
  | { readonly id: number; readonly error: string }

/** Answers every message to this thread. An encoder keeps state between calls, so they run one after the other. */
export function answerInTurn(encode: (request: EncodeRequest) => Promise<Uint8Array>): void {
  let last: Promise<void> = Promise.resolve()
  self.onmessage = ({ data }: MessageEvent<EncodeRequest>) => {
    last = last.then(async () => {
      try {
        const bytes = await encode(data)
        self.postMessage({ id: data.id, bytes } satisfies EncodeReply)
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        self.postMessage({ id: data.id, error: reason } satisfies EncodeReply)
      }
    })
  }
}
