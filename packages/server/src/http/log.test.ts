// The log never writes a secret, no matter what it gets.
import { expect, test } from 'bun:test'
import { createLog } from './log.ts'

function openLog(level = 'info') {
  const lines: string[] = []
  const { log } = createLog({ level, pretty: false, destination: { write: line => lines.push(line) } })
  return { log, lines }
}

test('headers that carry credentials are hidden; query strings are dropped', () => {
  const { log, lines } = openLog()
  const headers = {
    authorization: 'Bearer sk-secret',
    'x-api-key': 'sk-secret',
    'x-vendor-api-key': 'sk-secret',
    cookie: 'sk-secret',
    accept: 'text/plain',
  }
  log.info({ headers })
  log.info({ headers: new Headers(headers) })
  log.info({ request: new Request('http://door.test/path?key=sk-secret', { headers }) })
  expect(lines.join('')).not.toContain('sk-secret')
  expect(JSON.parse(lines[0] ?? '').headers).toMatchObject({
    accept: 'text/plain',
    authorization: '[hidden]',
  })
  expect(JSON.parse(lines[2] ?? '').request).toBe('GET /path')
})

test('an error is written with only its name, message, code, stack and cause', () => {
  const { log, lines } = openLog()
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', requestHeaders: 'sk-secret' })
  log.error({ err: new Error('call failed', { cause }) }, 'It failed')
  log.error({ error: cause }, 'It failed')
  expect(lines.join('')).not.toContain('sk-secret')
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    msg: 'It failed',
    err: { type: 'Error', message: 'call failed', cause: { message: 'refused', code: 'ECONNREFUSED' } },
  })
})

test('the level is kept', () => {
  const { log, lines } = openLog('warn')
  log.info('not this')
  log.warn('this')
  expect(lines).toHaveLength(1)
})
