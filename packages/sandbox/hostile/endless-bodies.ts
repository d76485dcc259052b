// Bodies for tests with the scripted upstream: endless, never closed, or slow.

/** Each piece is sent once the previous one has been read. */
export function writePieces(
  pieces: AsyncIterable<string | Uint8Array>,
  options: ResponseInit = {},
): Response {
  return new Response(pieces as never, options)
}

export async function* streamForever(
  start: string,
  piece: string | Uint8Array,
  count: (bytes: number) => void,
): AsyncGenerator<string | Uint8Array> {
  yield start
  for (;;) {
    yield piece
    count(piece.length)
  }
}

/** These pieces and then silence. The body ends only when its reader leaves. */
export async function* withoutClose(...pieces: (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  yield* pieces
  await new Promise(() => undefined)
}

/** A video order that is accepted and finished at once. `download` sets the answer to its download. */
export function answerVideo(
  base: () => string,
  download: (request: Request) => Response | Promise<Response>,
) {
  return (request: Request): Response | Promise<Response> => {
    const { pathname } = new URL(request.url)
    if (request.method === 'POST') return Response.json({ name: nameOperation(pathname) })
    if (!pathname.includes('/operations/')) return download(request)
    const uri = `${base()}/v1beta/files/file-${pathname.split('/').at(-1)}:download?alt=media`
    return Response.json({
      done: true,
      response: { generateVideoResponse: { generatedSamples: [{ video: { uri } }] } },
    })
  }
}

/** The vendor's name for it: `models/{model}/operations/{id}`. */
export function nameOperation(pathname: string): string {
  const model = /models\/([^:]+):/.exec(pathname)?.[1] ?? ''
  return `models/${model}/operations/${crypto.randomUUID()}`
}
