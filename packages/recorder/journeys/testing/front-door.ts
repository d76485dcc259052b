// An address that is known before its server starts, for servers that write their own address into scripts and pages.
import { connect, createServer } from 'node:net'

export type FrontDoor = {
  readonly url: string
  /** Forwards every connection to this address from now on. */
  readonly leadTo: (url: string) => void
  readonly close: () => void
}

export async function openFrontDoor(): Promise<FrontDoor> {
  let port = 0
  const server = createServer(socket => {
    const inner = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [socket, inner],
      [inner, socket],
    ] as const) {
      from.on('error', () => to.destroy())
      from.pipe(to)
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('unreachable')
  return {
    url: `http://127.0.0.1:${address.port}`,
    leadTo: url => {
      port = Number(new URL(url).port)
    },
    close: () => void server.close(),
  }
}
