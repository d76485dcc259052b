// suite: 7 s
// The wall of an event: what everyone in the hall sees with a link, what it hides, and how it is frozen.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { NewWallTokenReply, WallState } from '@fairgate/contracts/console/wall.ts'
import { headOfHeads } from '../src/evidence/head-of-heads.ts'
import { codeOf } from './testing/door-routes.ts'
import { ingest, sampleEntry } from './testing/logbook-client.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'

let fairgate: Fairgate
let now = Date.parse('2026-11-21T09:00:00Z')
const keys: Record<string, string> = {}

beforeAll(async () => {
  fairgate = await startFairgate({ variables: { FAIRGATE_TRUSTED_PROXIES: '127.0.0.0/8' } }, () => now)
  const { manage } = fairgate
  await manage.change('PUT', '/event', { name: 'AI Cup', time_zone: 'Asia/Seoul' })
  keys.zebra = await manage.team('zebra', { team_alias: 'Zebra', max_budget: 1 })
  keys.apple = await manage.team('apple', { team_alias: 'apple', max_budget: 0.0001 })
  keys.team10 = await manage.team('team-10', { team_alias: 'Team 10', max_budget: 1 })
  keys.team9 = await manage.team('team-9', { team_alias: 'Team 9' })
  await chat('zebra')
  const { token } = await manage.token('zebra')
  await ingest(fairgate.logbookUrl, token, [sampleEntry])
})
afterAll(() => fairgate.stop())

const chat = (team: string) =>
  fetch(`${fairgate.gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${keys[team]}` },
    body: JSON.stringify({ model: 'mm-2.5-flash', messages: [{ role: 'user', content: 'Hi' }] }),
  })
const makeWall = (body: object = {}) =>
  fairgate.manage.post<NewWallTokenReply>('/wall_tokens', { name: 'Hall 1', ...body })
const look = async ({ token }: { readonly token: string }): Promise<WallState> => {
  const response = await fetch(`${fairgate.gatewayUrl}/wall/${token}/state`)
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
  return (await response.json()) as WallState
}
/** Waits another second, so that earlier data is old. */
const nextSecond = () => {
  now += 1001
}

describe('what it shows', () => {
  test('all teams by name, counters, the clock, and nothing that names an id or a secret', async () => {
    nextSecond()
    const made = await makeWall({ shows_budgets: true })
    expect(made.url).toBe(`${fairgate.gatewayUrl}/wall/${made.token}`)
    const state = await look(made)
    expect(state.tiles.map(({ name }) => name)).toEqual(['apple', 'Team 9', 'Team 10', 'Zebra'])
    expect(state).toMatchObject({
      now: new Date(now).toISOString(),
      name: 'Hall 1',
      frozen_at: null,
      counters: { teams: 4, teams_at_work: 1, calls: 1, entries: 1 },
      clock: { gateway: 'open', time_zone: 'Asia/Seoul' },
      event_name: 'AI Cup',
      announcement: null,
      head: { teams: 1, entries: 1 },
    })
    expect(state.tiles.at(-1)).toMatchObject({ lights: { key: 'ok', call: 'ok', rec: 'ok' }, bar: 1 })
    expect(state.tiles[1]?.bar).toBeNull()
    const text = JSON.stringify(state)
    for (const hidden of ['team-10', keys.zebra ?? '', made.token, 'nano', 'spent'])
      expect(text).not.toContain(hidden)
  })

  test('the figure for all logs is the digest of the heads', async () => {
    nextSecond()
    const { sha256 } = (await look(await makeWall())).head
    const { head } = await fairgate.manage.verifyLog('zebra')
    expect(sha256).toBe(headOfHeads([{ teamId: 'zebra', headChain: head?.chain ?? '' }]))
  })

  test('budgets only on request, and no state about money otherwise', async () => {
    expect((await chat('apple')).status).toBe(429)
    await fairgate.manage.post('/team/update', { team_id: 'apple', max_budget: 0 })
    nextSecond()
    const stateIn = ({ tiles }: WallState) => tiles[0]?.state
    const shown = await look(await makeWall({ shows_budgets: true }))
    const hidden = await look(await makeWall())
    expect([stateIn(shown), stateIn(hidden)]).toEqual(['budget_spent', 'working'])
    expect(hidden.tiles.every(({ bar }) => bar === null)).toBe(true)
  })

  test('the newest announcement for all, and none for some', async () => {
    const wall = await makeWall()
    const announce = async (body: object) => {
      now += 1000
      await fairgate.manage.post('/announcements', body)
      nextSecond()
      return (await look(wall)).announcement?.text
    }
    expect(await announce({ text: 'Lunch is served.' })).toBe('Lunch is served.')
    expect(await announce({ text: 'For one team.', teams: ['zebra'] })).toBe('Lunch is served.')
    expect(await announce({ text: 'Demos at five.' })).toBe('Demos at five.')
  })
})

describe('a link', () => {
  test('that does not exist shows nothing, and guesses do not delay a valid one', async () => {
    const wall = await makeWall()
    const guess = async (token: string) => {
      const response = await fetch(`${fairgate.gatewayUrl}/wall/${token}/state`, {
        headers: { 'x-forwarded-for': '198.51.100.7' },
      })
      return [response.status, codeOf(await response.text())]
    }
    const wrong = await Promise.all(Array.from({ length: 30 }, (_, index) => guess(`wall_${index}`)))
    for (const reply of wrong) expect(reply).toEqual([404, 'wall_token_not_found'])
    expect((await guess(wall.token))[0]).toBe(200)
  })

  test('is listed without its token, audited, and shows nothing after it is removed', async () => {
    const wall = await makeWall({ name: 'Foyer' })
    const list = await (await fairgate.manage.call('GET', '/wall_tokens')).text()
    expect(list).toContain('Foyer')
    expect(list).not.toContain(wall.token)
    const removed = await fairgate.manage.call('DELETE', `/wall_tokens/${wall.wall_token_id}?reason=over`)
    expect(removed.status).toBe(200)
    expect((await fetch(`${fairgate.gatewayUrl}/wall/${wall.token}/state`)).status).toBe(404)
    const again = await fairgate.manage.call('DELETE', `/wall_tokens/${wall.wall_token_id}`)
    expect(codeOf(await again.text())).toBe('wall_token_not_found')
    const audit = await (await fairgate.manage.call('GET', '/audit?limit=2')).text()
    expect(JSON.parse(audit).items).toMatchObject([
      { action: 'wall_token.remove', reason: 'over', target: wall.wall_token_id },
      { action: 'wall_token.create' },
    ])
    expect(audit).not.toContain(wall.token)
  })

  test('is refused with an invalid time', async () => {
    const response = await fairgate.manage.call('POST', '/wall_tokens', { name: 'x', freeze_at: 'soon' })
    expect([response.status, codeOf(await response.text())]).toEqual([400, 'invalid_request'])
  })
})

// Shown to fail if a frozen wall reads anything but its snapshot.
test('a frozen wall keeps every field but the clock', async () => {
  nextSecond()
  const freezeAt = now + 10_000
  const wall = await makeWall({ shows_budgets: true, freeze_at: new Date(freezeAt).toISOString() })
  const open = await makeWall({ shows_budgets: true })
  expect((await look(wall)).frozen_at).toBeNull()
  now = freezeAt
  const frozen = await look(wall)
  expect(frozen.frozen_at).toBe(new Date(freezeAt).toISOString())
  expect((await chat('zebra')).status).toBe(200)
  const { token } = await fairgate.manage.token('team-9')
  await ingest(fairgate.logbookUrl, token, [{ ...sampleEntry, prompt: 'After the freeze' }])
  await fairgate.manage.post('/announcements', { text: 'After the freeze' })
  await fairgate.manage.team('late', { team_alias: 'Late' })
  await fairgate.manage.change('POST', '/event/pause', { reason: 'fire alarm' })
  now += 60_000
  const { now: later, clock, ...rest } = await look(wall)
  const { now: before, clock: clockBefore, ...restBefore } = frozen
  expect(rest).toEqual(restBefore)
  expect(later).not.toBe(before)
  expect([clockBefore.gateway, clock.gateway, clock.reason]).toEqual(['open', 'paused', 'fire alarm'])
  const other = await look(open)
  expect(other.tiles.map(({ name }) => name)).toContain('Late')
  expect(other.head.sha256).not.toBe(frozen.head.sha256)
  await fairgate.manage.change('POST', '/event/resume')
})

test('live: everything first, then changes, and the same bytes for all', async () => {
  const wall = await makeWall()
  const controller = new AbortController()
  const follow = async () => {
    const response = await fetch(`${fairgate.gatewayUrl}/wall/${wall.token}/stream`, {
      signal: controller.signal,
    })
    expect(response.headers.get('content-type')).toStartWith('text/event-stream')
    const reader = response.body?.getReader()
    let text = ''
    const until = async (part: string) => {
      while (!text.includes(part)) {
        const { value, done } = (await reader?.read()) ?? {}
        if (done === true) break
        text += new TextDecoder().decode(value)
      }
      return text
    }
    return { until }
  }
  const [one, other] = [await follow(), await follow()]
  expect(await one.until('event: beat')).toContain('event: wall')
  await other.until('event: beat')
  nextSecond()
  await fairgate.manage.post('/announcements', { text: 'Live news' })
  nextSecond()
  const lineOf = (text: string) => text.split('\n').find(line => line.includes('Live news'))
  const seen = lineOf(await one.until('Live news'))
  expect(seen).toBeDefined()
  expect(lineOf(await other.until('Live news'))).toBe(seen)
  // An open stream is checked for its link every five seconds.
  await fairgate.manage.call('DELETE', `/wall_tokens/${wall.wall_token_id}`)
  await one.until('never sent: the stream ends first')
  controller.abort()
})
