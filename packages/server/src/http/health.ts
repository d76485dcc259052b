// Tells load balancers whether the process lives, whether it takes requests, and whether to send it some; reveals nothing else.

/** Why requests are not taken: a coarse word, such as `database_full`; anyone may read it. */
export type NotReadyReason = string

export function answerLive(): Response {
  return Response.json({ status: 'ok' })
}

/** 503 before the start has finished, while the process drains (`draining`), and while the store cannot be used. */
export function answerReady(isReady: () => boolean, whyNotReady: () => NotReadyReason | null): Response {
  if (isReady()) return answerLive()
  const reason = whyNotReady()
  return Response.json(
    { status: 'unavailable', ...(reason === null ? {} : { reason }) },
    { status: 503, headers: { 'retry-after': '1' } },
  )
}

/**
 * 503 only before the start has finished and while the process drains. For a proxy before one server, which lets requests wait
 * while this is 503: a failing database is no reason to, its callers are told at once, and what needs none is answered.
 */
export function answerOpen(whyNotReady: () => NotReadyReason | null): Response {
  const reason = whyNotReady()
  const isOpen = reason !== 'starting' && reason !== 'draining'
  return answerReady(
    () => isOpen,
    () => reason,
  )
}
