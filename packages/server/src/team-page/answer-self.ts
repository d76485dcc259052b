// How the team's page is answered: as JSON that nobody keeps.

export function answerSelf(body: unknown, status = 200): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store' } })
}
