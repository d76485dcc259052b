// Builds a request for in-process tests of handlers: no door created it, and nothing reads its notes.
import { Call } from '../call.ts'

export type CallOptions<Body> = {
  readonly body: Body
  readonly callId?: string
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
}

export function buildCall<Body>({
  body,
  callId = 'call-1',
  signal = new AbortController().signal,
  headers = {},
}: CallOptions<Body>): Call<Body, never> {
  const surroundings = {
    newCallId: () => callId,
    stopwatch: () => 0,
    readClientAddress: (address: string | null) => address,
  }
  const server = { timeout: () => undefined, requestIP: () => null }
  const request = new Request('http://door.test/v1/paid', { method: 'POST', headers })
  const call = new Call<Body, never>(surroundings, request, server, 'POST')
  call.body = body
  call.detach(signal)
  return call
}
