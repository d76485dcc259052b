// Sends one large body over a raw connection, as fast as the door accepts it, and resolves with the reply.
import { connectRaw, statusesIn, writeHead } from './raw-connection.ts'

export type LargeRequest = {
  readonly url: string
  readonly path: string
  readonly secret: string
  /** Text before and after the filler that makes up the size. */
  readonly frame: readonly [head: string, tail: string]
  readonly bytes: number
  readonly isChunked?: boolean
  /** Breaks the connection after this many bytes. */
  readonly breakAfter?: number
}

export type LargeReply = {
  /** Null when the connection was lost without an answer. */
  readonly status: number | null
  readonly code: string | null
  readonly retryAfter: number | null
}

const filler = Buffer.alloc(65_536, 'abcdefghijklmnopqrstuvwxyz ')

export async function sendBody(request: LargeRequest): Promise<LargeReply> {
  const {
    url,
    path,
    secret,
    frame,
    bytes,
    isChunked = false,
    breakAfter = Number.POSITIVE_INFINITY,
  } = request
  const connection = connectRaw(url)
  await connection.opened
  const { socket } = connection
  const size = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes}`
  const lines = [size, 'Content-Type: application/json', 'Connection: close']
  socket.write(writeHead({ method: 'POST', path, secret }, ...lines))
  const [head, tail] = frame
  let left = bytes - head.length - tail.length
  let sent = 0
  const write = async (piece: Uint8Array | string) => {
    sent += piece.length
    if (isChunked) socket.write(`${piece.length.toString(16)}\r\n`)
    const hasRoom = socket.write(piece)
    if (isChunked) socket.write('\r\n')
    if (hasRoom || socket.destroyed) return
    await Promise.race([new Promise(resolve => socket.once('drain', resolve)), connection.closed])
  }
  await write(head)
  while (left > 0 && !socket.destroyed && sent < breakAfter) {
    const piece = filler.subarray(0, Math.min(filler.length, left))
    left -= piece.length
    await write(piece)
  }
  if (left > 0) socket.destroy()
  else {
    await write(tail)
    if (isChunked) socket.write('0\r\n\r\n')
  }
  const received = await connection.closed
  const [status = null] = statusesIn(received)
  const retryAfter = /^retry-after: (\d+)/im.exec(received)?.[1]
  return {
    status,
    code: /"code":"(\w+)"/.exec(received)?.[1] ?? null,
    retryAfter: retryAfter === undefined ? null : Number(retryAfter),
  }
}
