// The logbook: accepted entries, refusals of single entries and whole requests, and what teams read back; the recorder's pages.
import type { Wire } from '../start-wire.ts'

const entry = {
  ts: '2026-11-21T10:00:00.123456+09:00',
  tool: 'Claude-Code',
  event: 'UserPromptSubmit',
  session_id: 'session-1',
  repo: 'blue/robot',
  branch: 'main',
  commit: 'abc1234',
  student: 'ada@example.org',
}

export async function recordLogbook(wire: Wire): Promise<void> {
  await wire.team('blue')
  const token = await wire.token('blue')
  const key = await wire.key('blue')
  const ingest = (name: string, body: object | string, headers: Readonly<Record<string, string>> = {}) =>
    wire.ask(name, 'POST /api/ingest', { door: 'logbook', bearer: token, body, headers })
  const read = (name: string, query = '') =>
    wire.ask(name, `GET /api/ingest/entries${query}`, { door: 'logbook', bearer: token })
  const json = { 'Content-Type': 'application/json' }

  await read('nothing yet')
  await ingest('one entry', { entries: [{ ...entry, prompt: 'Write a test.' }] })
  await ingest('the same again, twice', {
    entries: [
      { ...entry, prompt: 'Write a test.' },
      { prompt: 'Write a test.', ...entry },
    ],
  })
  wire.passTime(100)
  await ingest('all members, long ones cut', {
    entries: [
      {
        ...entry,
        ts: '2026-11-21T01:00:01Z',
        event: 'PostToolUse',
        tool: 'codex',
        model: 'mm-2.5-flash',
        prompt: 'ä🙂'.repeat(600),
        tool_name: 'shell',
        tool_input: { command: ['ls', '-la'] },
        tool_response: 'x'.repeat(5000),
        tool_error: ['no', 'such'],
        response_summary: 'y'.repeat(5000),
        stop_reason: 'end',
        of_its_own: { deep: true },
      },
    ],
  })
  await ingest('warnings', {
    entries: [
      { ...entry, ts: '2026-11-21T01:00:02' },
      { ...entry, ts: '2099-01-01T00:00:00Z' },
    ],
  })
  await ingest('each rejection', {
    entries: [
      7,
      null,
      { ...entry, ts: undefined },
      { ...entry, student: null },
      { ...entry, tool: 7 },
      { ...entry, event: 'x'.repeat(600) },
      { ...entry, ts: 'yesterday' },
      { ...entry, ts: '2026-13-01T00:00:00Z' },
      { ...entry, tool_input: 7 },
      { ...entry, prompt: 'good, between bad ones' },
      { ...entry, tool_response: 'x'.repeat(4_200_000) },
      { ...entry, deep: JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`) },
    ],
  })
  await ingest('no entries', { entries: [] })
  await ingest('too many entries', { entries: Array(501).fill(entry) })
  await ingest('no list', { entries: 7 })
  await ingest('no object', '[]', json)
  await ingest('malformed JSON', '{"entries":', json)
  await ingest('another content type', 'entries', { 'Content-Type': 'text/plain' })
  await ingest('compressed', '{}', { ...json, 'Content-Encoding': 'gzip' })
  await wire.ask('no token', 'POST /api/ingest', { door: 'logbook', body: { entries: [entry] } })
  await wire.ask('a wrong token', 'POST /api/ingest', {
    door: 'logbook',
    bearer: 'aitc_nobody',
    body: { entries: [entry] },
  })
  await wire.ask('a gateway key', 'POST /api/ingest', {
    door: 'logbook',
    bearer: key,
    body: { entries: [entry] },
  })
  await ingest('a body that is too large', ' '.repeat(17_000_000), json)

  await read('all')
  const page = await read('a page', '?limit=2')
  await read('the next page', `?limit=2&before=${encodeURIComponent(page.read('next_before'))}`)
  await read('before a time', '?before=2026-11-21T10:00:01%2B09:00')
  await read('by event', '?event=PostToolUse')
  await read('by event in another case', '?event=posttooluse')
  await read('by tool in another case', '?tool=CODEX')
  await read('by empty filters', '?tool=&event=&limit=1')
  await read('more than a page', '?limit=1000')
  await read('a limit of nothing', '?limit=0')
  await read('a limit that is no number', '?limit=all')
  await read('before nonsense', '?before=yesterday')
  await wire.ask('reading without a token', 'GET /api/ingest/entries', { door: 'logbook' })
  await wire.ask('reading with a gateway key', 'GET /api/ingest/entries', { door: 'logbook', bearer: key })
  await wire.askQuietly('POST /team/lock', {
    door: 'admin',
    bearer: wire.adminKey,
    body: { team_id: 'blue' },
  })
  await ingest('a locked board', { entries: [{ ...entry, prompt: 'late' }] })
  await read('reading of a locked board', '?limit=1')
  await wire.ask('another path', 'GET /nothing', { door: 'logbook', bearer: token })
  await wire.ask('another method', 'PUT /api/ingest', { door: 'logbook', bearer: token })
  await wire.ask('HEAD', 'HEAD /api/ingest/entries', { door: 'logbook', bearer: token })
  await wire.ask('OPTIONS', 'OPTIONS /api/ingest', { door: 'logbook' })

  for (const path of [
    '',
    '/',
    '/install.sh',
    '/install.ps1',
    '/fairgate-recorder.cjs',
    '/fairgate-recorder.tgz',
  ]) {
    await wire.ask(`recorder page ${path}`, `GET /recorder${path}`, {
      door: 'logbook',
      isBuild: path !== '/',
    })
  }
  const script = await wire.askQuietly('GET /recorder/install.sh', { door: 'logbook' })
  await wire.ask('recorder page that is known', 'GET /recorder/install.sh', {
    door: 'logbook',
    isBuild: true,
    headers: { 'If-None-Match': script.headers.etag ?? '' },
  })
  await wire.ask('no such recorder page', 'GET /recorder/nothing', { door: 'logbook' })
}
