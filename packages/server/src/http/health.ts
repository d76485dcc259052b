// Tells load balancers whether the process lives and whether it takes requests, and clients which door they stand at; nothing else.

/** Why requests are not taken: a coarse word, such as `database_full`; anyone may read it. */
export type NotReadyReason = string

/** `door` lets a client that was given the wrong address say whose it is, before it sends a credential there. */
export function answerLive(door: string): Response {
  return Response.json({ status: 'ok', door })
}

/** 503 before the start has finished, while the process drains, and while the store cannot be used. */
export function answerReady(
  door: string,
  isReady: () => boolean,
  whyNotReady: () => NotReadyReason | null,
): Response {
  if (isReady()) return answerLive(door)
  const reason = whyNotReady()
  return Response.json(
    { status: 'unavailable', door, ...(reason === null ? {} : { reason }) },
    { status: 503, headers: { 'retry-after': '1' } },
  )
}
