// Ends connections that no longer answer: a graceful end waits for a reply that may never come.
import { Client } from 'pg'

/** Fails everything that waits for it with "Connection terminated". */
export function cutConnection(client: Client): void {
  // The type declarations omit this member, which the driver documents as its socket.
  const { connection } = client as unknown as { connection?: { stream?: { destroy: () => void } } }
  connection?.stream?.destroy()
}

const politeMs = 2000

/** Resolves when the connection has ended, and after two seconds in any case: nothing may wait forever for a silent network. */
export async function endConnection(client: Client): Promise<void> {
  const overdue = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    cutConnection(client)
    overdue.resolve()
  }, politeMs)
  await Promise.race([client.end().catch(() => undefined), overdue.promise])
  clearTimeout(timer)
}

/** The driver's message if no answer came in time. */
export function isSilence(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

/** A connection of the pool that is cut if no answer comes: returned to the pool, it would block the next statement as well. */
export class CuttingClient extends Client {
  // The driver has ten overloads of this; all but those with a promise pass through untouched.
  override query = ((...input: Parameters<Client['query']>) => {
    const answer: unknown = super.query(...input)
    if (answer instanceof Promise)
      answer.catch((error: unknown) => {
        if (isSilence(error)) cutConnection(this)
      })
    return answer
  }) as Client['query']
}
