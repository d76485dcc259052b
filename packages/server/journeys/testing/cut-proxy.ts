// A proxy between a server and its database, so that a test can take the database away without stopping it for others.
import { connect, createServer, type Server, type Socket } from 'node:net'

export type CutProxy = {
  /** The address of the database through the proxy. */
  readonly url: string
  /** Ends every connection and refuses new ones, as a database that has stopped. */
  readonly cut: () => Promise<void>
  /** Keeps every connection but answers nothing, like a lost network. */
  readonly silence: () => void
  readonly restore: () => Promise<void>
  /** Ends every connection on our side only: the database keeps waiting for the other end, as after an unplugged network cable. */
  readonly forget: () => void
  /**
   * The next connection that sends this statement is cut at its commit: after it was carried out and before the answer, or before
   * it was sent. Other transactions commit meanwhile.
   */
  readonly cutAtCommitOf: (statement: string, isCarriedOut: boolean) => void
}

export async function startCutProxy(target: string): Promise<CutProxy> {
  const url = new URL(target)
  const pairs = new Set<readonly [Socket, Socket]>()
  const forgotten = new Set<Socket>()
  let isSilent = false
  let cutting: { readonly statement: string; readonly isCarriedOut: boolean } | null = null
  const open = (near: Socket) => {
    const far = connect(Number(url.port), url.hostname)
    const pair = [near, far] as const
    pairs.add(pair)
    let isMeant = false
    let isAnswerLost = false
    const end = () => {
      // A removed entry is no longer a pair.
      if (!pairs.delete(pair)) return
      near.destroy()
      far.destroy()
    }
    for (const socket of pair) socket.on('error', end).on('close', end)
    near.on('data', bytes => {
      if (isSilent) return
      isMeant ||= cutting !== null && bytes.includes(cutting.statement)
      if (cutting !== null && isMeant && bytes.includes('commit')) {
        const { isCarriedOut } = cutting
        cutting = null
        if (!isCarriedOut) return end()
        isAnswerLost = true
      }
      far.write(bytes)
    })
    far.on('data', bytes => {
      if (isAnswerLost) end()
      else if (!isSilent) near.write(bytes)
    })
  }
  const endAll = () => {
    for (const [near, far] of pairs) {
      near.destroy()
      far.destroy()
    }
  }
  let server: Server | null = null
  const listen = (port: number) =>
    new Promise<number>((resolve, reject) => {
      const next = createServer(open)
      server = next
      next.once('error', reject)
      next.listen(port, '127.0.0.1', () => {
        const address = next.address()
        resolve(typeof address === 'object' && address !== null ? address.port : 0)
      })
    })
  const close = async () => {
    server?.close()
    server = null
    endAll()
    for (const far of forgotten) far.destroy()
  }
  const port = await listen(0)
  const near = new URL(target)
  near.hostname = '127.0.0.1'
  near.port = String(port)
  return {
    url: near.href,
    cut: close,
    silence: () => {
      isSilent = true
    },
    restore: async () => {
      if (isSilent) endAll()
      isSilent = false
      if (server === null) await listen(port)
    },
    forget: () => {
      for (const pair of pairs) {
        const [near, far] = pair
        pairs.delete(pair)
        forgotten.add(far)
        near.destroy()
      }
    },
    cutAtCommitOf: (statement, isCarriedOut) => {
      cutting = { statement, isCarriedOut }
    },
  }
}
