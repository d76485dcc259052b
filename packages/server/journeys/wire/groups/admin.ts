// The admin door: every route, once with success and with its refusals. It runs first, because some routes list everything.
import type { Ask, Wire } from '../start-wire.ts'

const entry = {
  ts: '2026-11-21T10:00:00+09:00',
  tool: 'claude-code',
  event: 'UserPromptSubmit',
  session_id: 'session-1',
  repo: 'red/robot',
  branch: 'main',
  commit: 'abc1234',
  student: 'ada@example.org',
}

export async function recordAdmin(wire: Wire): Promise<void> {
  const admin: Ask = { door: 'admin', bearer: wire.adminKey }
  const get = (name: string, path: string) => wire.ask(name, `GET ${path}`, admin)
  const post = (name: string, path: string, body: object) =>
    wire.ask(name, `POST ${path}`, { ...admin, body })
  /** Rows of the same millisecond have no fixed order. */
  const later = () => wire.passTime(100)

  await get('no teams', '/team/list')
  await post('new team', '/team/new', {
    team_id: 'red',
    team_alias: 'Red',
    max_budget: 25,
    budget_duration: '1d',
    rpm_limit: 60,
    tpm_limit: 1000,
    model_rpm_limit: { 'mm-2.5-flash': 10 },
    models: ['mm-2.5-flash', 'imgalias-2'],
    metadata: { color: 'red' },
    tags: ['first'],
  })
  later()
  await post('new team without an id', '/team/new', {})
  await post('new team that is there', '/team/new', { team_id: 'red' })
  await post('new team with a bad id', '/team/new', { team_id: 'a b' })
  await post('new team with an unknown member', '/team/new', { team_id: 'blue', color: 'blue' })
  await post('new team with an unknown model', '/team/new', { team_id: 'blue', models: ['nothing'] })
  later()
  await post('change a team', '/team/update', { team_id: 'red', max_budget: 30.5, budget_duration: '1m' })
  await post('change a team by a wrong type', '/team/update', { team_id: 'red', max_budget: 'much' })
  await post('change an unknown team', '/team/update', { team_id: 'nobody' })
  await post('block a team', '/team/block', { team_id: 'red' })
  await post('unblock a team', '/team/unblock', { team_id: 'red' })
  await post('block an unknown team', '/team/block', { team_id: 'nobody' })

  later()
  const made = await post('new key', '/key/generate', {
    team_id: 'red',
    key_alias: 'laptop',
    duration: '30d',
    user_id: 'ada',
    max_budget: 5,
    rpm_limit: 30,
    models: ['mm-2.5-flash'],
    aliases: { mine: 'mm-2.5-flash' },
    model_max_budget: { 'mm-2.5-flash': 1.5 },
    max_parallel_requests: 4,
    allowed_routes: ['/v1/chat/completions'],
  })
  const key = made.read('key')
  later()
  const second = (await post('new key with defaults', '/key/generate', { team_id: 'red' })).read('key')
  await post('new key of an unknown team', '/key/generate', { team_id: 'nobody' })
  await post('new key with a bad duration', '/key/generate', { team_id: 'red', duration: 'soon' })
  await post('new key with a bad route', '/key/generate', { team_id: 'red', allowed_routes: ['chat'] })
  later()
  await post('change a key', '/key/update', { key, key_alias: 'tower', rpm_limit: null })
  await post('change an unknown key', '/key/update', { key: 'sk-nobody' })
  await post('block a key', '/key/block', { key })
  await post('unblock a key', '/key/unblock', { key: Bun.SHA256.hash(key, 'hex').toUpperCase() })
  await post('block an unknown key', '/key/block', { key: 'sk-nobody' })
  await get('a key', `/key/info?key=${key}`)
  await get('an unknown key', '/key/info?key=sk-nobody')
  await get('no key', '/key/info')
  await get('keys', '/key/list?team_id=red')
  await get('keys whole, a page', '/key/list?team_id=red&return_full_object=true&size=1&page=2')
  await get('keys of an invalid page', '/key/list?page=0')
  await get('a team', '/team/info?team_id=red')
  await get('an unknown team', '/team/info?team_id=nobody')
  await get('teams', '/team/list')
  await get('teams, a page', '/v2/team/list?page=1&page_size=1&sort_by=team_id')
  await get('an owner of keys', '/user/info?user_id=ada')
  await get('an unknown owner', '/user/info?user_id=nobody')
  await get('the days of a spend log', '/spend/logs?start_date=2026-11-21&end_date=2026-11-21')
  await get('a spend log', '/spend/logs?start_date=2026-11-21')
  await get('a name of a model', '/model_group/info?model_group=mm-2.5-flash')
  await post('new team with a limit of keys', '/team/new', { team_id: 'gone', max_parallel_requests: 5 })
  await post('new team to delete', '/team/new', { team_id: 'gone' })
  await post('delete a team', '/team/delete', { team_ids: ['gone'] })
  await post('delete an unknown team', '/team/delete', { team_ids: ['nobody'] })
  await post('delete a key', '/key/delete', { keys: [second] })
  await post('delete an unknown key', '/key/delete', { keys: ['sk-nobody'] })
  await post('delete nothing', '/key/delete', { keys: [] })

  later()
  const given = await post('new log token', '/log_token/generate', { team_id: 'red' })
  const token = given.read('token')
  await post('new log token of an unknown team', '/log_token/generate', { team_id: 'nobody' })
  await get('log tokens', '/log_token/list?team_id=red')
  await get('log tokens of an unknown team', '/log_token/list?team_id=nobody')
  await recordLogs(wire, token)
  later()
  await post('revoke a log token', '/log_token/revoke', { token_id: given.read('token_id') })
  await post('revoke it again', '/log_token/revoke', { token_id: given.read('token_id') })
  await post('revoke an unknown log token', '/log_token/revoke', { token_id: 'lt_nobody' })

  await get('catalog', '/catalog')
  await post('reload the catalog', '/catalog/reload', {})
  await get('audit', '/audit')
  await get('audit, a page of a team', '/audit?team_id=red&limit=2&before_id=9')
  await get('audit, too many', '/audit?limit=1000')
  await get('audit, an unknown team', '/audit?team_id=nobody')

  await wire.ask('no admin key', 'GET /team/list', { door: 'admin' })
  await wire.ask('a wrong admin key', 'GET /team/list', { door: 'admin', bearer: 'nobody' })
  await wire.ask('a gateway key', 'POST /team/new', { door: 'admin', bearer: key, body: {} })
  await wire.ask('another scheme', 'GET /team/list', {
    door: 'admin',
    headers: { Authorization: 'Basic YTpi' },
  })
  await get('another path', '/nothing')
  await get('another method', '/team/new')
  await wire.ask('malformed JSON', 'POST /team/new', {
    ...admin,
    headers: { 'Content-Type': 'application/json' },
    body: '{"team_id":',
  })
  await wire.ask('another content type', 'POST /team/new', {
    ...admin,
    headers: { 'Content-Type': 'text/plain' },
    body: 'red',
  })
  await wire.ask('too large', 'POST /team/new', { ...admin, body: { team_alias: 'x'.repeat(1_100_000) } })
  await wire.ask('HEAD', 'HEAD /team/list', admin)
  await wire.ask('OPTIONS', 'OPTIONS /team/list', admin)
}

/** Boards and logbook entries, as organisers see them. */
async function recordLogs(wire: Wire, token: string): Promise<void> {
  const admin: Ask = { door: 'admin', bearer: wire.adminKey }
  const get = (name: string, path: string) => wire.ask(name, `GET ${path}`, admin)
  const post = (name: string, path: string, body: object) =>
    wire.ask(name, `POST ${path}`, { ...admin, body })
  const prompts = ['First', '=SUM(1)', 'Zeile 1\nZeile 2, "quoted"']
  const entries = prompts.map((prompt, index) => ({
    ...entry,
    ts: `2026-11-21T10:00:0${index}+09:00`,
    prompt,
  }))
  await wire.ask('entries arrive', 'POST /api/ingest', {
    door: 'logbook',
    bearer: token,
    body: { entries: [...entries, { ...entry, tool: 'Codex', event: 'Stop', extra: { deep: [1, null] } }] },
  })
  await get('verify', '/logs/verify?team_id=red')
  await get('verify an unknown team', '/logs/verify?team_id=nobody')
  await get('boards', '/logs/boards')
  await get('the board of a team', '/logs/boards?team_id=red')
  await get('the board of an unknown team', '/logs/boards?team_id=nobody')
  await get('coverage', '/coverage')
  await get('coverage of a team with its calls', '/coverage?team_id=red&calls=true')
  await get('coverage of an unknown team', '/coverage?team_id=nobody')
  await get('coverage with the calls of all teams', '/coverage?calls=true')
  const page = await get('entries, a page', '/logs/entries?team_id=red&limit=2')
  await get(
    'entries, the next page',
    `/logs/entries?team_id=red&limit=2&before=${encodeURIComponent(page.read('next_before'))}`,
  )
  await get('entries of a tool', '/logs/entries?tool=CODEX&event=Stop')
  await get('entries before nonsense', '/logs/entries?before=yesterday')
  await get('entries of an unknown team', '/logs/entries?team_id=nobody')
  await get('an entry', '/logs/entry?team_id=red&entry=1')
  await get('an unknown entry', '/logs/entry?team_id=red&entry=99')
  await get('an entry by nonsense', '/logs/entry?team_id=red&entry=first')
  await get('export as JSON lines', '/logs/export.ndjson')
  await get('export of a team from a number on', '/logs/export.ndjson?team_id=red&after_seq=2')
  await get('export from nonsense', '/logs/export.ndjson?after_seq=2')
  await get('export as CSV', '/logs/export.csv')
  await get('export as CSV with a mark', '/logs/export.csv?team_id=red&tool=codex&bom=true')
  await get('export of an unknown team', '/logs/export.csv?team_id=nobody')
  wire.passTime(100)
  await post('lock a board', '/team/lock', { team_id: 'red' })
  await post('unlock a board', '/team/unlock', { team_id: 'red' })
  await post('lock a board later', '/team/lock', { team_id: 'red', lock_at: '2026-11-30T18:00:00+09:00' })
  await post('lock a board in the past', '/team/lock', {
    team_id: 'red',
    lock_at: '2026-11-01T18:00:00+09:00',
  })
  await post('lock a board at nonsense', '/team/lock', { team_id: 'red', lock_at: 'soon' })
  await post('lock the board of an unknown team', '/team/lock', { team_id: 'nobody' })
}
