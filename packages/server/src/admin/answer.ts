// Management replies hold secrets and figures of the moment: no cache may keep them.

export function answer(body: unknown): Response {
  return Response.json(body, { headers: { 'cache-control': 'no-store' } })
}
