// Refusals reach the page as one kind of error with all of the server's details.
import { expect, test } from 'bun:test'
import { createSendRequest, RequestFailure, withQuery } from './request.ts'

const answer = (reply: () => Response | Promise<Response>) => {
  const asked: Request[] = []
  let signedOut = 0
  const fake = Object.assign(
    async (input: string | URL | Request, init?: RequestInit) => {
      asked.push(new Request(String(new URL(String(input), 'http://door')), init))
      return reply()
    },
    { preconnect: () => undefined },
  )
  const send = createSendRequest(fake, () => {
    signedOut += 1
  })
  return { send, asked, countSignedOut: () => signedOut }
}

test('bodies are sent and replies are read as JSON', async () => {
  const { send, asked } = answer(() => Response.json({ items: [1] }))
  expect(await send<unknown>('POST', '/team/new', { body: { team_id: 'red' } })).toEqual({ items: [1] })
  expect(asked[0]?.headers.get('content-type')).toBe('application/json')
  expect(await asked[0]?.json()).toEqual({ team_id: 'red' })
})

test('a refusal keeps its code, its field and the call id', async () => {
  const { send, countSignedOut } = answer(() =>
    Response.json(
      {
        error: {
          message: 'Too long.',
          type: 'invalid_request_error',
          param: 'team_alias',
          code: 'invalid_request',
        },
      },
      { status: 400, headers: { 'x-gateway-call-id': 'gw_1', 'retry-after': '3' } },
    ),
  )
  const failure = await send('POST', '/team/new', { body: {} }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(RequestFailure)
  expect(failure).toMatchObject({
    status: 400,
    code: 'invalid_request',
    param: 'team_alias',
    callId: 'gw_1',
    retryAfter: 3,
    message: 'Too long.',
  })
  expect(countSignedOut()).toBe(0)
})

test('a 401 ends the page’s session, but a wrong key at sign-in does not', async () => {
  const { send, countSignedOut } = answer(() => new Response('', { status: 401 }))
  await send('POST', '/session', { body: {} }).catch(() => undefined)
  expect(countSignedOut()).toBe(0)
  await send('GET', '/teams').catch(() => undefined)
  expect(countSignedOut()).toBe(1)
})

test('no answer and a refusal are different errors', async () => {
  const { send } = answer(() => Promise.reject(new TypeError('refused')))
  const failure = await send('GET', '/teams').catch((error: unknown) => error)
  expect(failure).toMatchObject({ status: 0, code: 'no_connection' })
})

test('undefined values are left out of the address', () => {
  expect(withQuery('/calls', { after: null, q: '', team_id: 'a&b', limit: 5, exact: false })).toBe(
    '/calls?team_id=a%26b&limit=5&exact=false',
  )
})
