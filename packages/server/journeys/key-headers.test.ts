// The headers of a key, dialect by dialect: what is accepted, and refusals in the format that each dialect's clients read.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { say } from './testing/pass-through-caller.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'
import { readCharges } from './testing/stored-rows.ts'

let fairgate: Fairgate
let key: string
let other: string
let token: string
beforeAll(async () => {
  fairgate = await startFairgate({ variables: { FAIRGATE_TRUSTED_PROXIES: '127.0.0.0/8' } })
  key = await fairgate.manage.team('red', { max_budget: 10 })
  other = await fairgate.manage.key('red')
  token = (await fairgate.manage.token('red')).token
})
afterAll(() => fairgate.stop())

let clients = 0
/** Each attempt comes from its own address, or the door would slow down the refusals. */
const fromElsewhere = () => {
  clients += 1
  return { 'x-forwarded-for': `10.0.${clients >> 8}.${clients & 255}` }
}

const model = 'mm-2.5-flash'
const messages = [{ role: 'user', content: 'Hi' }]
const openai = (message: string) => ({
  error: { message, type: 'authentication_error', param: null, code: 'invalid_api_key' },
})
const gemini = (message: string) => ({ error: { code: 401, message, status: 'UNAUTHENTICATED' } })

type Dialect = {
  readonly path: string
  readonly body: object
  /** Besides `api-key`, `x-api-key` and `x-goog-api-key`. */
  readonly ownHeader: string
  readonly writeError: (message: string) => object
}

const dialects: readonly (readonly [string, Dialect])[] = [
  [
    'chat',
    {
      path: '/v1/chat/completions',
      body: { model, messages },
      ownHeader: 'authorization',
      writeError: openai,
    },
  ],
  [
    'responses',
    { path: '/v1/responses', body: { model, input: 'Hi' }, ownHeader: 'authorization', writeError: openai },
  ],
  [
    'messages',
    {
      path: '/v1/messages',
      body: { model, messages, max_tokens: 16 },
      ownHeader: 'authorization',
      writeError: message => ({
        type: 'error',
        error: { type: 'authentication_error', message, code: 'invalid_api_key' },
      }),
    },
  ],
  [
    'the pass-through',
    {
      path: `/vendor/v1beta/models/${model}:generateContent`,
      body: say('Hi'),
      ownHeader: 'x-vendor-api-key',
      writeError: gemini,
    },
  ],
  [
    'its bare paths',
    {
      path: `/v1beta/models/${model}:generateContent`,
      body: say('Hi'),
      ownHeader: 'authorization',
      writeError: gemini,
    },
  ],
]

describe.each(dialects)('%s', (_, { path, body, ownHeader, writeError }) => {
  const send = (headers: Record<string, string>) =>
    fetch(`${fairgate.gatewayUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...fromElsewhere(), ...headers },
      body: JSON.stringify(body),
    })
  const holding = (name: string, secret: string) => ({
    [name]: name === 'authorization' ? `Bearer ${secret}` : secret,
  })
  const expectRefused = async (headers: Record<string, string>, message: string) => {
    const response = await send(headers)
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).not.toBeNull()
    expect(await response.json()).toMatchObject(writeError(message))
  }

  test.each([ownHeader, 'api-key', 'x-api-key', 'x-goog-api-key'])('a key in %s', async name => {
    const before = (await readCharges(fairgate.place, 'red')).length
    expect((await send(holding(name, key))).status).toBe(200)
    await expectRefused(
      holding(name, token),
      'This is a log token, which only works on the logbook. The gateway needs a key that starts with sk-.',
    )
    for (const second of ['api-key', 'x-api-key', 'x-goog-api-key'].filter(each => each !== name)) {
      expect((await send({ ...holding(name, key), ...holding(second, key) })).status).toBe(200)
      for (const wrong of [other, token]) {
        const response = await send({ ...holding(name, key), ...holding(second, wrong) })
        expect(response.status).toBe(401)
        expect(await response.text()).toContain('contain different keys. Send only one of them.')
      }
    }
    const accepted = 1 + (['api-key', 'x-api-key', 'x-goog-api-key'].includes(name) ? 2 : 3)
    expect((await readCharges(fairgate.place, 'red')).length - before).toBe(accepted)
  })
})
