// Tells load balancers whether the process lives and whether it takes requests; reveals nothing else.

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
