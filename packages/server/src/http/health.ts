// Reports to load balancers whether the process lives, whether it accepts requests, and whether to send it any; and to clients which
// door they are at. Nothing else.

/** Why requests are not accepted: a coarse word, such as `database_full`; anyone may read it. */
export type NotReadyReason = string

/** With `door`, a client with the wrong address can see which door it reached before it sends a credential there. */
export function answerLive(door: string): Response {
  return Response.json({ status: 'ok', door })
}

/**
 * 503 before the start has finished, while the process drains (`draining`), and while the store cannot be used. `detail`: more for
 * operators, on their door only.
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
 * 503 only before the start has finished and while the process drains. For a proxy in front of one server that lets requests wait
 * during a 503. A failing database is no reason to wait: calls that need it get an error at once, and the others are answered.
 */
export function answerOpen(door: string, reason: NotReadyReason | null): Response {
  return answerReady(door, reason === 'starting' || reason === 'draining' ? reason : null)
}

type Probe = (reason: NotReadyReason | null) => Response

const answerAlive: Probe = () => Response.json("I'm alive!")

/** Path → reply, in LiteLLM's words, for probes that were written for it. */
export const probes: Readonly<Record<string, Probe>> = {
  '/health/liveliness': answerAlive,
  '/health/liveness': answerAlive,
  '/health/readiness': reason =>
    reason === null
      ? Response.json({ status: 'healthy', db: 'connected' })
      : Response.json({ status: 'unhealthy', reason }, { status: 503, headers: { 'retry-after': '1' } }),
}
