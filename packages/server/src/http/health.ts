// Tells load balancers whether the process lives and whether it takes requests; reveals nothing else.

export function answerLive(): Response {
  return Response.json({ status: 'ok' })
}

/** 503 before the start has finished and while the process drains. */
export function answerReady(isReady: () => boolean): Response {
  return isReady()
    ? answerLive()
    : Response.json({ status: 'unavailable' }, { status: 503, headers: { 'retry-after': '1' } })
}
