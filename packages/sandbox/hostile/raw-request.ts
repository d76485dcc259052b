// Reads requests from a raw connection, because the hostile vendor sends bytes that no HTTP server would.
import type { Socket } from 'node:net'

export type RawRequest = {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Headers
  readonly body: Buffer
}

/** The requests of one connection, one after the other. Ends when it closes. */
export async function* readRequests(socket: Socket): AsyncGenerator<RawRequest> {
  const source = createSource(socket)
  for (;;) {
    const head = await source.until('\r\n\r\n')
    if (head === null) return
    const [first = '', ...lines] = head.toString('latin1').split('\r\n')
    const [method = '', target = ''] = first.split(' ')
    const headers = new Headers()
    for (const line of lines) {
      const colon = line.indexOf(':')
      if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
    }
    const body =
      headers.get('transfer-encoding') === 'chunked'
        ? await readChunks(source)
        : await source.take(Number(headers.get('content-length') ?? 0))
    if (body === null) return
    yield { method, target, headers, body }
  }
}

type Source = {
  /** Returns everything before `mark`, which is consumed too; null if the connection closes first. */
  readonly until: (mark: string) => Promise<Buffer | null>
  readonly take: (length: number) => Promise<Buffer | null>
}

function createSource(socket: Socket): Source {
  let pieces: Buffer[] = []
  let length = 0
  let isClosed = false
  let notice = (): void => undefined
  socket.on('data', (data: Buffer) => {
    pieces.push(data)
    length += data.length
    notice()
  })
  socket.on('close', () => {
    isClosed = true
    notice()
  })
  const more = () =>
    new Promise<void>(resolve => {
      notice = resolve
    })
  /** Joins pieces only when there are enough, because a body of 20 MB comes in hundreds of pieces. */
  const join = () => {
    const all = pieces.length === 1 ? (pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(pieces)
    pieces = [all]
    return all
  }
  const cut = (at: number, skipped = 0): Buffer => {
    const all = join()
    const rest = all.subarray(at + skipped)
    pieces = rest.length === 0 ? [] : [rest]
    length = rest.length
    return all.subarray(0, at)
  }
  return {
    until: async mark => {
      for (;;) {
        const at = length === 0 ? -1 : join().indexOf(mark)
        if (at >= 0) return cut(at, mark.length)
        if (isClosed) return null
        await more()
      }
    },
    take: async wanted => {
      while (length < wanted) {
        if (isClosed) return null
        await more()
      }
      return cut(wanted)
    },
  }
}

async function readChunks(source: Source): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  for (;;) {
    const size = Number.parseInt((await source.until('\r\n'))?.toString('latin1') ?? '', 16)
    if (Number.isNaN(size)) return null
    const chunk = await source.take(size)
    if (chunk === null || (await source.until('\r\n')) === null) return null
    if (size === 0) return Buffer.concat(chunks)
    chunks.push(chunk)
  }
}
