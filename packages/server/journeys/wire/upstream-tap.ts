// A tap between server and sandbox: records the exact bytes of every request and forwards both directions unchanged,
// or answers with bytes that no sandbox would send.
import { connect, createServer, type Socket } from 'node:net'
import { type HttpMessage, readMessage } from './http-messages.ts'

/** The server's upstream key. */
export const upstreamKey = 'upstream-key-0123456789'

export type UpstreamTap = {
  readonly url: string
  /** The requests since the last call of this function. */
  readonly takeRequests: () => HttpMessage[]
  /** The next requests are answered with these bytes, one after the other; the connection is closed after each. */
  readonly answerNext: (...replies: readonly string[]) => void
  readonly stop: () => Promise<void>
}

export async function startUpstreamTap(sandboxUrl: string): Promise<UpstreamTap> {
  const port = Number(new URL(sandboxUrl).port)
  const sockets = new Set<Socket>()
  const scripted: string[] = []
  let requests: HttpMessage[] = []

  const server = createServer(socket => {
    sockets.add(socket)
    let waiting = Buffer.alloc(0)
    let sandbox: Socket | null = null
    const openSandbox = (): Socket => {
      const opened = connect(port, '127.0.0.1')
      opened.on('data', data => socket.write(data))
      opened.on('error', () => socket.destroy())
      opened.on('close', () => socket.end())
      return opened
    }
    socket.on('data', data => {
      waiting = Buffer.concat([waiting, Buffer.from(data)])
      for (let request = readMessage(waiting); request !== null; request = readMessage(waiting)) {
        const bytes = waiting.subarray(0, request.length)
        waiting = waiting.subarray(request.length)
        requests.push(request)
        const reply = scripted.shift()
        if (reply === undefined) {
          sandbox ??= openSandbox()
          sandbox.write(bytes)
        } else {
          socket.end(reply)
        }
      }
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      sockets.delete(socket)
      sandbox?.destroy()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The tap has no port.')
  return {
    url: `http://127.0.0.1:${address.port}`,
    takeRequests: () => {
      const taken = requests
      requests = []
      return taken
    },
    answerNext: (...replies) => {
      scripted.push(...replies)
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
