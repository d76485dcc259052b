// Reads refused bodies and discards them, within bounds. The runtime closes the connection after a reply that was sent before the
// request's body had arrived, and most clients then lose the reply (138 of 150 in a test).
import type { DoorServer } from './call.ts'

export type DiscardLimits = {
  /** How many bodies are discarded at the same time. Further ones are not read: their reply is sent, and the connection may close. */
  readonly atOnce: number
  readonly milliseconds: number
}

export type DiscardDependencies = {
  readonly callers: DiscardLimits
  /** For requests without a valid credential, and for paths that do not exist. */
  readonly strangers: DiscardLimits
  /** Calls back after so many ms unless the returned function is called before. */
  readonly startTimer: (milliseconds: number, run: () => void) => () => void
}

/** Resolves when the body has ended or its bound is reached; never rejects. A body that is being read elsewhere is left alone. */
export type DiscardBody = (
  call: { readonly request: Request; readonly server: DoorServer },
  bound: { readonly isCaller: boolean; readonly maximumBytes: number },
) => Promise<void>

/** The part of a reader that the types of the DOM and of Bun share. */
export type BodyReader = {
  readonly read: () => Promise<{ done: boolean; value?: Uint8Array }>
  readonly cancel: () => Promise<void>
}

export const idleSeconds = 10

export function createDiscardBody({ callers, strangers, startTimer }: DiscardDependencies): DiscardBody {
  const running = { callers: 0, strangers: 0 }
  return async ({ request, server }, { isCaller, maximumBytes }) => {
    if (!announcesBody(request.headers) || request.bodyUsed) return
    const kind = isCaller ? 'callers' : 'strangers'
    const bound = isCaller ? callers : strangers
    if (running[kind] >= bound.atOnce) return
    running[kind] += 1
    // A client that stalls is closed by the runtime.
    server.timeout(request, idleSeconds)
    try {
      const reader = request.body?.getReader()
      if (reader !== undefined) await discardRest(reader, maximumBytes, bound.milliseconds, startTimer)
    } catch {
      // The client has left, or a reader is at work: there is nothing to discard.
    } finally {
      running[kind] -= 1
    }
  }
}

export async function discardRest(
  reader: BodyReader,
  maximumBytes: number,
  milliseconds: number,
  startTimer: DiscardDependencies['startTimer'],
): Promise<void> {
  const stop = () => void reader.cancel().catch(() => undefined)
  const stopTimer = startTimer(milliseconds, stop)
  try {
    for (let size = 0; size <= maximumBytes; ) {
      const { done, value } = await reader.read()
      if (done || value === undefined) return
      size += value.byteLength
      freeBytes(value)
    }
    stop()
  } finally {
    stopTimer()
  }
}

/**
 * Frees the memory of bytes at once instead of at some later collection: 150 bodies of 18 MB that were only discarded had grown the
 * process by 240 MB of unreferenced chunks, and grow it by 85 with this. The bytes may not be used afterwards; a view of a part of
 * something larger is left to the collector.
 */
export function freeBytes(bytes: Uint8Array): void {
  const { buffer } = bytes
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) buffer.transfer(0)
}

function announcesBody(headers: Headers): boolean {
  const length = headers.get('content-length')
  return length === null ? headers.has('transfer-encoding') : length !== '0'
}
