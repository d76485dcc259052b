// Tells load balancers whether the process lives, whether it takes requests, and whether to send it some, and clients which door they
// stand at; nothing else.

/** Why requests are not taken: a coarse word, such as `database_full`; anyone may read it. */
export type NotReadyReason = string

/** `door` lets a client that was given the wrong address say whose it is, before it sends a credential there. */
export function answerLive(door: string): Response {
  return Response.json({ status: 'ok', door })
}

/**
 * 503 before the start has finished, while the process drains (`draining`), and while the store cannot be used. `detail`: what operators
 * are told besides, for their door alone.
 */
export function answerReady(door: string, reason: NotReadyReason | null, detail: object = {}): Response {
  return reason === null
    ? Response.json({ status: 'ok', door, ...detail })
    : Response.json(
        { status: 'unavailable', door, reason, ...detail },
        { status: 503, headers: { 'retry-after': '1' } },
      )
}

/**
 * 503 only before the start has finished and while the process drains. For a proxy before one server, which lets requests wait
 * while this is 503: a failing database is no reason to, its callers are told at once, and what needs none is answered.
 */
export function answerOpen(door: string, reason: NotReadyReason | null): Response {
  return answerReady(door, reason === 'starting' || reason === 'draining' ? reason : null)
}
