// Team pages with hostile text in member name, announcements and log entries, for the journeys of the team page.
import { expect } from 'bun:test'
import { ingest } from '../../testing/logbook-client.ts'
import { farAhead, hostileTexts } from './seed-event.ts'
import { startPages, type TestPages } from './start-pages.ts'

export type TeamPages = TestPages & {
  /** Belongs to a member of `tidal-lock` who has a log token too. */
  readonly memberKey: string
  readonly keyOf: (teamId: string) => string
  /** Makes one chat call and returns its status. */
  readonly call: (key: string, model?: string) => Promise<number>
}

export async function startTeamPages(): Promise<TeamPages> {
  const pages = await startPages()
  const { manage } = pages.fairgate
  const { member_id } = await manage.post<{ member_id: string }>('/people', {
    team_id: 'tidal-lock',
    name: `Aiko ${hostileTexts.html}`,
  })
  const memberKey = await manage.key('tidal-lock', { member_id, key_alias: 'laptop' })
  const { token } = await manage.post<{ token: string }>('/log_token/generate', {
    team_id: 'tidal-lock',
    member_id,
  })
  const written = await ingest(
    pages.fairgate.logbookUrl,
    token,
    Object.values(hostileTexts).map((prompt, index) => ({
      ts: index === 0 ? farAhead : new Date(Date.now() - index * 1000).toISOString(),
      tool: 'codex',
      event: 'UserPromptSubmit',
      session_id: index === 0 ? 'first-session' : 'other-session',
      repo: 'tidal/lock',
      branch: 'main',
      commit: 'abc1234',
      student: 'aiko@example.org',
      prompt,
    })),
  )
  expect([written.status, await written.text()]).toEqual([202, expect.any(String)])
  await manage.post('/announcements', {
    text: `${hostileTexts.html} ${hostileTexts.address} ${hostileTexts.long.slice(0, 300)}`,
    teams: ['hostile', 'tidal-lock'],
  })
  const call = async (key: string, model = 'mm-2.5-flash') => {
    const response = await fetch(`${pages.fairgate.gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, max_tokens: 64, messages: [{ role: 'user', content: 'Hello' }] }),
    })
    await response.text()
    return response.status
  }
  const keyOf = (teamId: string) => pages.event.teams.find(team => team.teamId === teamId)?.key ?? ''
  return { ...pages, memberKey, keyOf, call }
}
