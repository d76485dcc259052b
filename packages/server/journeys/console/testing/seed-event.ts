// A small event, made through the doors like people would: teams in every state, calls, refusals, sessions, and hostile text.

import { ingest } from '../../testing/logbook-client.ts'
import type { Fairgate } from '../../testing/start-fairgate.ts'

/** Text that would do harm if it were taken for anything but text. */
export const hostileTexts = {
  html: '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>',
  address: 'javascript:document.title="owned"',
  reordered: 'invoice\u202Ecod.exe',
  hidden: 'pass\u200Bword\u0000\u2066',
  colours: '\u001b[31mred\u001b]0;owned\u0007',
  formula: '=HYPERLINK("http://evil.example","click")',
  marks: `z${'\u0301'.repeat(60)}`,
  long: `${'W'.repeat(3000)}`,
  image: 'data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSkvPg==',
  prototype: '{"__proto__":{"polluted":true}}',
} as const

export type SeededTeam = { readonly teamId: string; readonly key: string; readonly token: string }

export type SeededEvent = {
  readonly teams: readonly SeededTeam[]
  /** Has used up its budget. */
  readonly spent: SeededTeam
  /** Its limits refuse most calls. */
  readonly limited: SeededTeam
  /** Has a logged session with hostile entries. */
  readonly logged: SeededTeam
  readonly sessionId: string
}

const names = [
  ['kimchi-kernel', 'Kimchi Kernel'],
  ['stack-overflowers', 'Stack Overflowers'],
  ['cedar-and-code', 'Cedar & Code'],
  ['paper-cranes', 'Paper Cranes'],
  ['null-pointers', 'Null Pointers'],
  ['tidal-lock', 'Tidal Lock'],
  ['ginger-root', 'Ginger Root'],
  ['night-ferry', 'Night Ferry'],
  ['hostile', `Evil ${hostileTexts.reordered} ${hostileTexts.html}`],
] as const

const hour = 3_600_000

/** An entry of each log claims to be of this time; pages show it as `claims 1 Jan 2099`. */
export const farAhead = '2099-01-01T00:00:00Z'

export async function seedEvent(fairgate: Fairgate): Promise<SeededEvent> {
  const { manage, logbookUrl, gatewayUrl } = fairgate
  const now = Date.now()
  const at = (ms: number) => new Date(now + ms).toISOString()
  await manage.change('PUT', '/event', {
    name: 'Harbour AI Cup 2026',
    time_zone: 'Asia/Seoul',
    cap_nano: 900_000_000_000,
  })
  await manage.change('PUT', '/event/phases', {
    phases: [
      { name: 'Practice', from: at(-20 * hour), until: at(-5 * hour) },
      { name: 'Contest', from: at(-5 * hour), until: at(2.3 * hour) },
      { name: 'Judging', from: at(2.3 * hour), gateway: 'closed' },
    ],
  })
  const teams: SeededTeam[] = []
  for (const [teamId, team_alias] of names) {
    const key = await manage.team(teamId, {
      team_alias,
      max_budget: teamId === 'stack-overflowers' ? 0.0001 : 25,
      ...(teamId === 'cedar-and-code' ? { rpm_limit: 2 } : {}),
    })
    await manage.post('/people', {
      team_id: teamId,
      name: `${team_alias.split(' ')[0]} One`,
      email: `one@${teamId}.example`,
    })
    const { token } = await manage.token(teamId)
    teams.push({ teamId, key, token })
  }
  const find = (id: string): SeededTeam => {
    const team = teams.find(({ teamId }) => teamId === id)
    if (team === undefined) throw new Error(`No team ${id}`)
    return team
  }
  const logged = find('kimchi-kernel')
  const sessionId = '7f2c91d4-0000-4000-8000-000000000001'
  const prompts = ['Now wire it to the scheduler.', 'The scheduler starves low priority jobs. Find out why.']
  for (const team of teams.slice(0, 7)) {
    for (const [index, prompt] of prompts.entries()) {
      await call(gatewayUrl, team.key, index === 0 ? 'mm-2.5-flash' : 'mm-3.1-pro-preview', prompt, sessionId)
    }
    if (team.teamId === 'cedar-and-code')
      for (let index = 0; index < 4; index += 1) await call(gatewayUrl, team.key, 'mm-2.5-flash', 'Again.')
  }
  await call(gatewayUrl, logged.key, 'no-such-model', 'Hello?')
  const entry = (minutes: number, event: string, more: object) => ({
    ts: new Date(now - minutes * 60_000).toISOString(),
    tool: 'codex',
    event,
    session_id: sessionId,
    repo: 'kimchi/kernel',
    branch: 'main',
    commit: 'abc1234',
    student: 'haeun@example.org',
    ...more,
  })
  const written = await ingest(logbookUrl, logged.token, [
    entry(12, 'UserPromptSubmit', { prompt: prompts[0] }),
    entry(11.5, 'PreToolUse', {
      tool_name: 'Bash',
      tool_input: { command: 'npm test -- --filter scheduler' },
    }),
    entry(11, 'PostToolUse', {
      tool_name: 'Bash',
      tool_input: { command: 'npm test -- --filter scheduler' },
      tool_response: {
        exit_code: 1,
        stdout: Array.from({ length: 40 }, (_, line) => `line ${line}: expected 3, got 4`).join('\n'),
      },
    }),
    entry(10, 'Stop', {
      stop_reason: 'end_turn',
      response_summary: 'The heap never aged its entries. I have added a step that does.',
    }),
    entry(2, 'UserPromptSubmit', { prompt: prompts[1] }),
    ...Object.entries(hostileTexts).map(([name, text]) =>
      entry(1.5, 'UserPromptSubmit', { prompt: `${name}: ${text}`, [text.slice(0, 60)]: text }),
    ),
    entry(1, 'Stop', { response_summary: hostileTexts.html, ts: farAhead }),
  ])
  if (!written.ok) throw new Error(await written.text())
  await manage.post('/announcements', {
    text: 'The upstream was slow from 15:31 to 15:38. The contest goes on.',
  })
  return { teams, logged, sessionId, spent: find('stack-overflowers'), limited: find('cedar-and-code') }
}

async function call(
  gatewayUrl: string,
  key: string,
  model: string,
  content: string,
  session?: string,
): Promise<number> {
  const response = await fetch(`${gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(session === undefined ? {} : { 'x-session-id': session }),
    },
    body: JSON.stringify({ model, max_tokens: 64, messages: [{ role: 'user', content }] }),
  })
  await response.text()
  return response.status
}
