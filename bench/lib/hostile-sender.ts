// Sends many large bodies at once over raw connections and prints the outcome of each. Started as a separate process by
// hostile-bodies.ts, so that neither its memory nor its work counts as the server's.
import { connect } from 'node:net'

export type HostileOrder = {
  readonly port: number
  readonly path: string
  readonly secrets: readonly string[]
  readonly connections: number
  readonly bytes: number
  readonly form: 'json' | 'chunked' | 'multipart'
  /** The content of the body; one long text fills it up to size. */
  readonly head: string
  readonly tail: string
}

export type HostileOutcome = { readonly answers: Readonly<Record<string, number>>; readonly lost: number }

const order = JSON.parse(await Bun.stdin.text()) as HostileOrder
const answers: Record<string, number> = {}
let lost = 0

await Promise.all(Array.from({ length: order.connections }, (_, index) => send(index)))
console.log(JSON.stringify({ answers, lost } satisfies HostileOutcome))

function send(index: number): Promise<void> {
  const { port, path, secrets, bytes, form, head, tail } = order
  const secret = secrets[index % secrets.length] ?? ''
  // Each sender has its own text, since entries with the same text would be duplicates.
  const start = Buffer.from(`${head}${index} `)
  const end = Buffer.from(tail)
  const filler = Buffer.alloc(65_536, 'abcdefghijklmnopqrstuvwxyzABCDEF')
  const type = form === 'multipart' ? 'multipart/form-data; boundary=x' : 'application/json'
  const size = form === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${bytes}`
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.on('data', data => {
      received += data.toString('latin1')
      // A complete reply ends at its length or when the connection closes.
      const [replyHead = '', body] = received.split('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(replyHead)?.[1] ?? Number.NaN)
      if (body !== undefined && body.length >= length) socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(received)?.[1]
      const code = /"code":"(\w+)"/.exec(received)?.[1]
      if (status === undefined) lost += 1
      else {
        const name = code === undefined ? status : `${status} ${code}`
        answers[name] = (answers[name] ?? 0) + 1
      }
      resolve()
    })
    const lines = [
      `POST ${path} HTTP/1.1`,
      'host: localhost',
      path.startsWith('/vendor/') ? `x-goog-api-key: ${secret}` : `authorization: Bearer ${secret}`,
      size,
      `content-type: ${type}`,
    ]
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    const write = (piece: Buffer): boolean => {
      if (form !== 'chunked') return socket.write(piece)
      socket.write(`${piece.length.toString(16)}\r\n`)
      socket.write(piece)
      return socket.write('\r\n')
    }
    let left = bytes - start.length - end.length
    const pump = () => {
      while (left > 0) {
        if (socket.destroyed) return
        const piece = filler.subarray(0, Math.min(filler.length, left))
        left -= piece.length
        if (!write(piece)) {
          socket.once('drain', pump)
          return
        }
      }
      write(end)
      if (form === 'chunked') socket.write('0\r\n\r\n')
    }
    write(start)
    pump()
  })
}
