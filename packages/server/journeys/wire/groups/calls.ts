// The record of calls: a team's own calls on the gateway door.
import type { Ask, Wire } from '../start-wire.ts'

const body = (more: object = {}) => ({
  model: 'mm-2.5-flash',
  messages: [{ role: 'user', content: 'Hello' }],
  max_tokens: 16,
  ...more,
})

export async function recordCalls(wire: Wire): Promise<void> {
  const key = await wire.team('calls', { rpm_limit: 3 }, { key_alias: 'laptop' })
  const get = (name: string, path: string, more: Ask = {}) =>
    wire.ask(name, `GET ${path}`, { bearer: key, ...more })
  const timed = { isTimed: true }
  await get('no calls', '/spend/logs')
  const post = (name: string, more: object = {}, headers: Record<string, string> = {}) =>
    wire.ask(name, 'POST /v1/chat/completions', { bearer: key, headers, body: body(more) })
  const codex = { 'User-Agent': 'codex_cli_rs/0.80', 'session-id': 'session-1' }
  const made = await post('a call of a tool', {}, codex)
  const callId = made.headers['x-gateway-call-id'] ?? ''
  await post('a stream', { stream: true })
  await post('an unknown model', { model: 'nothing' })
  await post('the last call of the minute')
  await post('a call too many')
  // Uncharged calls are written within a second.
  const isWritten = async () =>
    (await wire.askQuietly('GET /spend/logs?outcome=refused&limit=2', { bearer: key })).text.split(
      '"call_id"',
    ).length === 3
  while (!(await isWritten())) await Bun.sleep(20)
  await get('its calls', '/spend/logs', timed)
  const page = await get('a page', '/v1/spend/logs?limit=2', timed)
  await get('the next page', `/spend/logs?limit=2&before=${page.read('next_before')}`, timed)
  await get('calls of a tool and a key', '/spend/logs?tool=codex&session_id=session-1&key=me', timed)
  await get('calls of an unknown key', '/spend/logs?key=desktop')
  await get('an unknown parameter', '/spend/logs?status=429')
  await get('a limit too high', '/spend/logs?limit=201')
  await get('a time without an offset', '/spend/logs?from=2026-11-21T10:00')
  await get('an unknown outcome', '/spend/logs?outcome=lost')
  await get('one call', `/spend/logs/${callId}`, timed)
  await get('an unknown call', '/spend/logs/nothing')
  const other = await wire.team('no-calls')
  await wire.ask("another team's call", `GET /spend/logs/${callId}`, { bearer: other })
  await wire.ask('without a key', 'GET /spend/logs')

  const admin: Ask = { door: 'admin', bearer: wire.adminKey }
  const look = (name: string, path: string, more: Ask = {}) =>
    wire.ask(name, `GET ${path}`, { ...admin, ...more })
  await look('calls of a team', '/calls?team_id=calls&key=laptop&outcome=refused', timed)
  await look('calls of an unknown team', '/calls?team_id=nobody')
  await look("calls of an unknown key's alias", '/calls?key=desktop')
  await look('an unknown parameter for organisers', '/calls?team=calls')
  await look('one call for organisers', `/calls/${callId}`, timed)
  await look('an unknown call for organisers', '/calls/nothing')
}
