// suite: test on sqlite; full on postgres; 9 s
// Coverage end to end: calls as coding agents make them, entries as the recorder sends them, and the figures on both doors.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { CoverageList, TeamCoverageRecord } from '@fairgate/contracts/calls/coverage.ts'
import { ingest } from './testing/logbook-client.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'

let fairgate: Fairgate
/** More than a day, so that nothing is pending. */
let later = 0
beforeAll(async () => {
  fairgate = await startFairgate({}, () => Date.now() + later)
})
afterAll(() => fairgate.stop())

const model = 'mm-2.5-flash'
/** Agents send this much before anyone has typed a word. */
const instructions = 'You are a coding agent. '.repeat(2500)

async function post(path: string, key: string, headers: Record<string, string>, body: object): Promise<void> {
  const reply = await fetch(`${fairgate.gatewayUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`)
  await reply.arrayBuffer()
}

/** Calls as Claude Code 2.1.330 does. */
const askClaude = (key: string, session: string, prompt: string) =>
  post(
    '/v1/messages',
    key,
    {
      'user-agent': 'claude-cli/2.1.330 (external, cli)',
      'x-claude-code-session-id': session,
      'anthropic-version': '2023-06-01',
    },
    {
      model,
      max_tokens: 64,
      system: [{ type: 'text', text: instructions }],
      messages: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
      metadata: { user_id: JSON.stringify({ device_id: 'd', account_uuid: '', session_id: session }) },
    },
  )

/** Calls as Codex 0.169.0 does; a sub-agent has its parent's session and its own thread. */
const askCodex = (key: string, session: string, prompt: string, thread = session) =>
  post(
    '/v1/responses',
    key,
    {
      'user-agent': 'codex_exec/0.169.0 (Debian 12.0.0; x86_64) xterm (codex_exec; 0.169.0)',
      'session-id': session,
      'thread-id': thread,
      'x-codex-window-id': `${thread}:0`,
      ...(thread === session ? {} : { 'x-codex-parent-thread-id': session }),
    },
    {
      model,
      instructions,
      store: false,
      prompt_cache_key: session,
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }] }],
    },
  )

/** Calls as Copilot CLI 1.0.102 does: its session is only in the system prompt. */
const askCopilot = (key: string, session: string, prompt: string) =>
  post(
    '/v1/chat/completions',
    key,
    { 'user-agent': 'OpenAI/JS 5.20.1', 'x-initiator': 'user' },
    {
      model,
      messages: [
        {
          role: 'system',
          content: `${instructions}\nYour folder: /home/me/.copilot/session-state/${session}/`,
        },
        {
          role: 'user',
          content: `<current_datetime>2026-11-21T23:47:22.347+00:00</current_datetime>\n\n${prompt}`,
        },
      ],
    },
  )

/** Calls as Gemini CLI 0.61.0 does: without a session, and with the whole conversation each time. */
const askGemini = (key: string, prompt: string, results: readonly string[]) =>
  post(
    `/v1beta/models/${model}:generateContent`,
    key,
    { 'user-agent': `GeminiCLI-tui/0.61.0/${model} (linux; x64; terminal)` },
    {
      systemInstruction: { parts: [{ text: instructions }], role: 'user' },
      generationConfig: { maxOutputTokens: 64 },
      contents: [
        {
          role: 'user',
          parts: [
            {
              text: '<session_context>\nThis is the Gemini CLI. We are setting up the context for our chat.',
            },
            { text: prompt },
          ],
        },
        ...results.flatMap((output, index) => [
          { role: 'model', parts: [{ functionCall: { name: 'read_file', args: { index } } }] },
          { role: 'user', parts: [{ functionResponse: { name: 'read_file', response: { output } } }] },
        ]),
      ],
    },
  )

const entry = (tool: string, session: string, members: object) => ({
  ts: new Date().toISOString(),
  tool,
  event: 'Event',
  session_id: session,
  repo: 'red/robot',
  branch: 'main',
  commit: 'abc1234',
  student: 'ada@example.org',
  recorder: { id: '0badcafe', n: 1 },
  ...members,
})

async function log(teamId: string, entries: readonly object[]): Promise<void> {
  const { token } = await fairgate.manage.token(teamId)
  const reply = await ingest(fairgate.logbookUrl, token, entries)
  expect(reply.status).toBe(202)
}

async function readAsTeam(key: string, query = ''): Promise<TeamCoverageRecord> {
  const reply = await fetch(`${fairgate.gatewayUrl}/coverage${query}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  if (reply.status !== 200) throw new Error(`It answered ${reply.status}: ${await reply.text()}`)
  return (await reply.json()) as TeamCoverageRecord
}

async function readAsOrganiser(query = ''): Promise<CoverageList> {
  const reply = await fairgate.manage.call('GET', `/coverage${query}`)
  if (reply.status !== 200) throw new Error(`It answered ${reply.status}: ${await reply.text()}`)
  return (await reply.json()) as CoverageList
}

const ids = (letter: string) => `${letter.repeat(8)}-0000-4000-8000-000000000000`
const prompts = Array.from({ length: 8 }, (_, index) => `Write part ${index} of the robot`)

async function work(key: string): Promise<void> {
  for (const prompt of prompts) {
    await askClaude(key, ids('c'), prompt)
    await askCodex(key, ids('d'), prompt)
    await askCopilot(key, ids('e'), prompt)
  }
  await askCodex(key, ids('d'), 'Look for the bug', ids('f'))
}

const workEntries = [
  entry('claude', ids('c'), { prompt: prompts[0] }),
  entry('codex', ids('d'), { prompt: prompts[0] }),
  entry('copilot', ids('e'), { prompt: prompts[0] }),
]

describe('coverage', () => {
  let logged = ''
  let unlogged = ''
  let other = ''
  let texts = ''
  beforeAll(async () => {
    logged = await fairgate.manage.team('logged')
    unlogged = await fairgate.manage.team('unlogged')
    other = await fairgate.manage.team('other')
    texts = await fairgate.manage.team('texts')
    await work(logged)
    await log('logged', workEntries)
    await work(unlogged)
    // A team with hooks, and a second key used on a machine without hooks.
    await log('other', [entry('claude', ids('a'), { prompt: prompts[0] })])
    const second = await fairgate.manage.key('other')
    for (const prompt of [...prompts, ...prompts]) {
      await askClaude(other, ids('a'), prompt)
      await askClaude(second, ids('b'), prompt.replace('robot', 'rover'))
    }
    const results = Array.from({ length: 22 }, (_, index) => `Line ${index} of the long file of the robot`)
    for (let count = 0; count < 22; count += 1) await askGemini(texts, 'Go on', results.slice(0, count))
    await log('texts', [
      entry('gemini', 'g', { prompt: 'Go on' }),
      ...results
        .slice(0, 21)
        .map(text => entry('gemini', 'g', { tool_name: 'read_file', tool_response: text })),
    ])
  }, 300_000)

  test('calls whose entries may still arrive are pending, for the team too', async () => {
    const seen = await readAsTeam(unlogged)
    expect(seen.classes.pending.calls).toBe(25)
    expect(seen.coverage).toBeNull()
    later = 25 * 3_600_000
  })

  test('agents with their sessions in the log: everything is covered', async () => {
    const seen = await readAsTeam(logged)
    expect(seen).toMatchObject({
      team_id: 'logged',
      coverage: 1,
      coverage_with_probable: 1,
      judged: { calls: 25 },
      sessions_without_entries: [],
      logged_only: { sessions: 0, entries: 0 },
    })
    expect(seen.classes.session.calls).toBe(25)
    const { spend } = await fairgate.manage.teamInfo('logged').then(({ team_info: info }) => info)
    expect(seen.classes.session.cost).toBeCloseTo(spend, 9)
  })

  test('the same calls without entries: nothing is covered', async () => {
    const seen = await readAsTeam(unlogged)
    expect(seen.coverage).toBe(0)
    expect(seen.classes.unexplained.calls).toBe(25)
    expect(seen.unexplained_by.tool_without_entries?.calls).toBe(25)
    expect(
      seen.sessions_without_entries.map(({ tool, session_id, calls }) => [tool, session_id, calls]),
    ).toEqual([
      ['codex', ids('d'), 9],
      ['copilot', ids('e'), 8],
      ['claude', ids('c'), 8],
    ])
  })

  test('a second key without hooks: half is covered, and its session is named', async () => {
    const [seen] = (await readAsOrganiser('?team_id=other')).teams
    expect(seen?.coverage).toBe(0.5)
    expect(seen?.unexplained_by.session_without_entries?.calls).toBe(16)
    expect(seen?.sessions_without_entries).toMatchObject([
      { tool: 'claude', session_id: ids('b'), calls: 16 },
    ])
  })

  test('Gemini CLI names no session: its calls are matched by text', async () => {
    const seen = await readAsTeam(texts)
    expect(seen).toMatchObject({ coverage: 1, judged: { calls: 22 } })
    expect(seen.classes.text.calls).toBe(22)
    const page = await readAsTeam(texts, '?calls=true&limit=200')
    expect(new Set(page.calls?.items.flatMap(({ sessions }) => sessions))).toEqual(new Set(['gemini:g']))
  })

  test('the calls behind a class, page by page', async () => {
    const seen: string[] = []
    let before: string | null | undefined = null
    do {
      const more = before === null ? '' : `&before=${before}`
      const { calls } = await readAsTeam(unlogged, `?calls=true&class=unexplained&limit=10${more}`)
      seen.push(...(calls?.items ?? []).map(({ call_id }) => call_id))
      before = calls?.next_before
    } while (typeof before === 'string')
    expect(seen).toHaveLength(25)
    expect(seen).toEqual([...new Set(seen)].sort().reverse())
    expect((await readAsTeam(unlogged, '?calls=true&class=app')).calls).toEqual({
      items: [],
      next_before: null,
    })
  })

  test('organisers see all teams, and can choose a time range', async () => {
    const { teams } = await readAsOrganiser()
    expect(teams.map(({ team_id, coverage }) => [team_id, coverage])).toEqual([
      ['logged', 1],
      ['unlogged', 0],
      ['other', 0.5],
      ['texts', 1],
    ])
    const first = await readAsOrganiser('?limit=3')
    const second = await readAsOrganiser(`?limit=3&after=${first.next}`)
    expect([...first.teams, ...second.teams].map(({ team_id }) => team_id)).toEqual(
      teams.map(({ team_id }) => team_id),
    )
    expect(second.next).toBeNull()
    const { teams: none } = await readAsOrganiser('?team_id=logged&until=2020-01-01T00:00:00+09:00')
    expect(none[0]?.judged.calls).toBe(0)
  })

  test.each([
    ['?team_id=nobody', 404],
    ['?calls=true', 400],
    ['?from=yesterday', 400],
    ['?from=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z', 400],
    ['?class=nothing', 400],
    ['?limit=0', 400],
    ['?after=nobody', 400],
  ])('%s is refused with %i', async (query, status) => {
    expect((await fairgate.manage.call('GET', `/coverage${query}`)).status).toBe(status)
  })
})
