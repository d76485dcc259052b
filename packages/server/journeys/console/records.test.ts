// suite: 76 s
// Calls, sessions, entries, the search and the audit in a real browser: what happened, found and followed, and what hostile text may not do.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { SearchReply } from '@fairgate/contracts/console/search.ts'
import type { NewAdminKeyReply } from '@fairgate/contracts/management/access.ts'
import type { Page } from 'puppeteer-core'
import { ingest } from '../testing/logbook-client.ts'
import { adminKey, type Fairgate, startFairgate } from '../testing/start-fairgate.ts'
import { findBarriers } from './testing/check-accessibility.ts'
import { findChromium } from './testing/find-chromium.ts'
import { openBrowser, type TestBrowser } from './testing/open-browser.ts'
import { hostileTexts, type SeededEvent, seedEvent } from './testing/seed-event.ts'
import { signInToConsole } from './testing/sign-in.ts'

const ready = (page: Page, text: string) =>
  page.waitForFunction((wanted: string) => document.body?.textContent?.includes(wanted), {}, text)
const textOf = (page: Page, selector: string) => page.$eval(selector, ({ textContent }) => textContent ?? '')

describe.skipIf(findChromium() === null)('the records of an event', () => {
  let fairgate: Fairgate
  let event: SeededEvent
  let browser: TestBrowser
  let sessionPath = ''

  beforeAll(async () => {
    fairgate = await startFairgate()
    event = await seedEvent(fairgate)
    browser = await openBrowser()
    sessionPath = `/console/sessions/${event.logged.teamId}/${event.sessionId}`
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await fairgate.stop()
  })

  const open = async (path: string, options: { width?: number; scheme?: 'light' | 'dark' } = {}) => {
    const opened = await browser.open({ isApart: true, ...options })
    await signInToConsole(opened.page, fairgate.adminUrl, adminKey)
    await opened.page.goto(fairgate.adminUrl + path)
    return opened
  }
  /** Of the logged session; answers the id of the call. */
  const callAsCodex = async () => {
    const response = await fetch(`${fairgate.gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${event.logged.key}`,
        'content-type': 'application/json',
        'user-agent': 'codex_cli_rs/0.160.0',
        session_id: event.sessionId,
        'session-id': event.sessionId,
      },
      body: JSON.stringify({
        model: 'mm-2.5-flash',
        max_tokens: 64,
        messages: [{ role: 'user', content: 'Now the tests.' }],
      }),
    })
    expect(response.status).toBe(200)
    await response.text()
    return response.headers.get('x-gateway-call-id')
  }
  const log = async (seconds: number, members: object, session = event.sessionId) => {
    const ts = new Date(Date.now() - seconds * 1000).toISOString()
    const where = { repo: 'kimchi/kernel', branch: 'main', commit: 'abc1234', student: 'haeun@example.org' }
    const written = await ingest(fairgate.logbookUrl, event.logged.token, [
      { ts, tool: 'codex', session_id: session, ...where, ...members },
    ])
    expect(written.ok).toBe(true)
  }

  test('a refused call is explained in its drawer, which Back closes; a charged one says how its price came about', async () => {
    const { page, faults } = await open('/console/calls?outcome=refused')
    await page.waitForSelector('tr[data-row]')
    await page.click('tr[data-row]')
    await page.waitForSelector('[role=dialog] [data-explanation]')
    expect(page.url()).toContain('call=')
    await page.goBack()
    await page.waitForFunction(() => document.querySelector('[role=dialog]') === null)
    await page.goto(`${fairgate.adminUrl}/console/calls?team=${event.limited.teamId}`)
    await page.waitForSelector('[data-totals]')
    expect(await textOf(page, '[data-totals]')).toContain('refused')
    const csv = await page.evaluate(async () => {
      const link = document.querySelector('a[download]')?.getAttribute('href') ?? ''
      return await (await fetch(link)).text()
    })
    expect(csv).toContain('rpm_exceeded')
    await page.goto(`${fairgate.adminUrl}/console/calls?outcome=completed&team=${event.logged.teamId}`)
    await page.waitForSelector('tr[data-row]')
    await page.click('tr[data-row]')
    await ready(page, 'How the price came about')
    // All of it is given back, with a reason; without one the form does not go.
    await page.click('text/Give back…')
    await page.waitForSelector('[role=dialog] [data-confirm]')
    expect(await page.$eval('[data-confirm]', button => button.getAttribute('disabled'))).not.toBeNull()
    await ready(page, 'The call costs')
    await page.type('[role=dialog] form input[required]', 'The upstream was slow')
    await page.waitForSelector('[data-confirm]:not([disabled])')
    await page.click('[data-confirm]')
    await ready(page, 'After corrections')
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('the sessions of a team lead to the conversation and back', async () => {
    const { page, faults } = await open('/console/sessions')
    // The team that wrote last is chosen.
    await page.waitForSelector('tr[data-row]')
    await page.click('tr[data-row] td:last-child')
    await page.waitForSelector('.talk-entry')
    expect(new URL(page.url()).pathname).toBe(sessionPath)
    await page.goBack()
    await page.waitForFunction(() => location.pathname === '/console/sessions')
    await page.waitForSelector('tr[data-row]')
    await page.click('text/Not in the log')
    await page.waitForFunction(() => location.search.includes('logged=no'))
    await ready(page, 'No session of this team passes the filter.')
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('a conversation shows prompts, failures unfolded, and calls where they happened; keys move through it', async () => {
    const { page, faults } = await open(sessionPath)
    await page.waitForSelector('.talk-entry[data-kind=prompt]')
    await page.waitForSelector('[data-live=live]')
    const callId = await callAsCodex()
    await page.waitForSelector(`.talk-call[data-call="${callId}"]`)
    await ready(page, 'exit 1')
    await ready(page, 'Show all 40 lines')
    await page.keyboard.press('j')
    await page.waitForFunction(() => location.search.includes('seq='))
    const first = page.url()
    await page.waitForSelector('.talk-entry[data-active=true]')
    await page.keyboard.press('j')
    await page.waitForFunction((before: string) => location.href !== before, {}, first)
    await page.keyboard.press('k')
    await page.waitForFunction((before: string) => location.href === before, {}, first)
    await page.keyboard.press('e')
    await ready(page, 'line 39: expected 3, got 4')
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('an edit is shown as a difference, a late entry is marked, and what is written now appears by itself', async () => {
    const { page, faults } = await open(sessionPath)
    await page.waitForSelector('.talk-entry')
    await page.waitForSelector('[data-live=live]')
    await log(1, {
      event: 'PostToolUse',
      tool_name: 'Edit',
      tool_input: { file_path: 'src/pick.ts', old_string: 'return peek()', new_string: 'return agedPick()' },
      tool_response: 'ok',
    })
    await page.waitForSelector('.entry-diff [data-sign="+"]')
    expect(await textOf(page, '.entry-diff [data-sign="+"]')).toContain('return agedPick()')
    await log(1800, { event: 'UserPromptSubmit', prompt: 'This came half an hour late.' })
    await page.reload()
    await page.waitForSelector('[data-late]')
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('a link to an entry opens in its place, and a large entry is read whole when asked', async () => {
    const session = 'large-session'
    for (let index = 0; index < 3; index += 1)
      await ingest(
        fairgate.logbookUrl,
        event.logged.token,
        Array.from({ length: 60 }, (_, place) => ({
          ts: new Date(Date.now() - 600_000 + (index * 60 + place) * 1000).toISOString(),
          tool: 'codex',
          event: 'UserPromptSubmit',
          session_id: session,
          repo: 'r',
          branch: 'main',
          commit: 'abc1234',
          student: 'haeun@example.org',
          prompt: `prompt number ${index * 60 + place}`,
        })),
      )
    await log(
      0,
      {
        event: 'PostToolUse',
        tool_name: 'Bash',
        tool_input: { command: `cat ${'notes.txt '.repeat(200)}` },
        tool_response: `${'word\n'.repeat(700)}the very end`,
      },
      session,
    )
    const reply = await fairgate.manage.call('GET', `/logs/search?q=${encodeURIComponent('"the very end"')}`)
    const found = (await reply.json()) as SearchReply
    const seq = found.items[0]?.hits[0]?.seq ?? 0
    const { page, faults } = await open(`/console/sessions/${event.logged.teamId}/${session}#e${seq}`)
    await page.waitForSelector(`#e${seq}[data-active=true]`)
    await page.click(`#e${seq} [data-whole]`)
    await page.waitForFunction(
      (id: string) => document.querySelector(`#${id} [data-whole]`) === null,
      {},
      `e${seq}`,
    )
    await page.keyboard.press('e')
    await ready(page, 'the very end')
    // What stands before the page is read on demand.
    expect(await page.$(`#e${seq - 180}`)).toBeNull()
    await page.click('text/Show what came before')
    await page.waitForSelector(`#e${seq - 140}`)
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('an entry is shown as it is stored, and raw entries open within the session', async () => {
    const { page, faults } = await open(`/console/entries/${event.logged.teamId}/1`)
    await page.waitForSelector('[data-stored]')
    expect(await textOf(page, '[data-stored]')).toContain('"event": "UserPromptSubmit"')
    await page.click('dl a')
    await page.waitForSelector('#e1[data-active=true]')
    await page.click('text/Raw entries')
    await page.waitForSelector('.raw-entry#e1 [data-fold]')
    await page.click('.raw-entry#e1 [data-fold]')
    await page.waitForSelector('.raw-entry#e1 [data-stored]')
    await page.goto(`${fairgate.adminUrl}/console/entries/${event.logged.teamId}/999999`)
    await ready(page, 'has no entry 999999')
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('hostile text is only text, on every one of these screens, and widens none', async () => {
    for (const width of [1440, 390]) {
      const { page, faults } = await open(sessionPath, { width })
      await page.waitForSelector('.talk-entry')
      await ready(page, 'prototype: ')
      await page.keyboard.press('e')
      for (const [path, selector] of [
        [sessionPath, '.talk-call'],
        [`${sessionPath}?view=raw`, '.raw-entry'],
        [`/console/entries/${event.logged.teamId}/6`, '[data-stored]'],
        ['/console/search?q=owned', '.search-hit mark'],
        ['/console/audit', '[data-audit]'],
        ['/console/calls', 'tr[data-row]'],
        ['/console/sessions', 'tr[data-row]'],
      ] as const) {
        await page.goto(fairgate.adminUrl + path)
        await page.waitForSelector(selector)
        const seen = await page.evaluate(() => ({
          wide: document.documentElement.scrollWidth - innerWidth,
          images: document.querySelectorAll('img[src=x], [onerror]').length,
          links: document.querySelectorAll('a[href^="javascript:"], a[href*="evil.example"]').length,
          title: document.title.includes('owned'),
        }))
        expect({ path, width, ...seen }).toEqual({
          path,
          width,
          wide: 0,
          images: 0,
          links: 0,
          title: false,
        })
      }
      await page.goto(fairgate.adminUrl + sessionPath)
      await ready(page, hostileTexts.html)
      await ready(page, 'RLO U+202E')
      expect(faults).toEqual([])
      await page.close()
    }
  }, 120_000)

  test('the search marks what it found, opens it in its place, and says when there is nothing', async () => {
    const { page, faults } = await open('/console/search')
    await page.waitForSelector('input[aria-label="What to look for"]')
    await page.type('input[aria-label="What to look for"]', 'starves low')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.search-hit mark')
    expect(page.url()).toContain('q=starves')
    expect(await page.$$eval('.search-hit mark', marks => marks.map(each => each.textContent))).toContain(
      'starves',
    )
    const seq = await page.$eval('.search-hit', hit => hit.getAttribute('data-hit'))
    await page.focus('.search-hit')
    await page.keyboard.press('Enter')
    await page.waitForSelector(`#e${seq}[data-active=true]`)
    await page.goBack()
    await page.waitForSelector('.search-hit mark')
    await page.goto(`${fairgate.adminUrl}/console/search?q=nowhere-to-be-found`)
    await ready(page, 'No entry contains')
    await page.goto(`${fairgate.adminUrl}/console/search?q=-only`)
    await ready(page, 'The search could not be loaded.')
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('the audit tells before and after, filters, and is not for judges', async () => {
    await fairgate.manage.post('/team/update', { team_id: 'tidal-lock', max_budget: 31 })
    const { page, faults } = await open('/console/audit?subject=tidal-lock&action=team.update')
    await page.waitForSelector('[data-audit] ins')
    expect(await textOf(page, '.audit-changes')).toContain('31')
    await page.goto(`${fairgate.adminUrl}/console/audit?action=no-such-act`)
    await ready(page, 'No change passes this filter')
    const { key } = await fairgate.manage.post<NewAdminKeyReply>('/admin_keys', {
      name: 'Mira Judge',
      role: 'judge',
    })
    const judge = await browser.open({ isApart: true })
    await signInToConsole(judge.page, fairgate.adminUrl, key)
    await judge.page.goto(`${fairgate.adminUrl}/console/audit`)
    await ready(judge.page, 'Only organisers and operators see the audit.')
    await judge.page.goto(fairgate.adminUrl + sessionPath)
    await judge.page.waitForSelector('.talk-entry')
    expect([...faults, ...judge.faults]).toEqual([])
    await page.close()
    await judge.page.close()
  }, 60_000)

  test.each(['light', 'dark'] as const)(
    'no barriers in the %s theme',
    async scheme => {
      const found: string[] = []
      const { page, faults } = await open(sessionPath, { scheme })
      for (const [path, selector] of [
        [sessionPath, '.talk-call'],
        [`${sessionPath}?view=raw`, '.raw-entry'],
        ['/console/sessions', 'tr[data-row]'],
        [`/console/entries/${event.logged.teamId}/3`, '[data-stored]'],
        ['/console/search?q=scheduler', '.search-hit mark'],
        ['/console/audit', '[data-audit]'],
        ['/console/calls', 'tr[data-row]'],
      ] as const) {
        await page.goto(fairgate.adminUrl + path)
        await page.waitForSelector(selector)
        found.push(...(await findBarriers(page)).map(each => `${path}: ${each}`))
      }
      expect([...found, ...faults]).toEqual([])
      await page.close()
    },
    60_000,
  )
})
