// Tracks the clients that wait for one shared piece of work, so that it ends when the last of them has left.

export class Clients {
  #waiting = 0

  get haveLeft(): boolean {
    return this.#waiting === 0
  }

  /** Throws when all have left. */
  check(): void {
    if (this.haveLeft) throw new Error('All clients waiting for this have left.')
  }

  /** Rejects when the client leaves. Without a client it waits to the end. */
  async wait<Result>(reading: Promise<Result>, client?: AbortSignal): Promise<Result> {
    this.#waiting += 1
    if (client === undefined) return reading
    const left = Promise.withResolvers<never>()
    const leave = () => {
      this.#waiting -= 1
      left.reject(client.reason)
    }
    if (client.aborted) leave()
    else client.addEventListener('abort', leave, { once: true })
    try {
      return await Promise.race([reading, left.promise])
    } finally {
      client.removeEventListener('abort', leave)
    }
  }
}
