// suite: full on sqlite; 30 s
// Calls, sessions, entries, search and audit. Only this file notices a filter, link or Back that leads to the wrong place.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { OrganiserCallsPage } from '@fairgate/contracts/calls/call-list.ts'
import type { AttentionReply } from '@fairgate/contracts/console/attention.ts'
import type { SearchReply } from '@fairgate/contracts/console/search.ts'
import type { Page } from 'puppeteer-core'
import { ingest } from '../testing/logbook-client.ts'
import { findChromium } from './testing/find-chromium.ts'
import { startPages, type TestPages } from './testing/start-pages.ts'
import {
  confirm,
  fill,
  gone,
  holdsFocus,
  looking,
  press,
  ready,
  says,
  whenPath,
  whenSearch,
} from './testing/use-page.ts'

const textOf = (page: Page, selector: string) => page.$eval(selector, ({ textContent }) => textContent ?? '')

describe.skipIf(findChromium() === null)('the records of an event', () => {
  let pages: TestPages
  let sessionPath = ''

  beforeAll(async () => {
    pages = await startPages()
    sessionPath = `/console/sessions/${pages.event.logged.teamId}/${pages.event.sessionId}`
  })
  afterAll(() => pages.stop())

  const log = async (seconds: number, members: object, session = pages.event.sessionId) => {
    const ts = new Date(Date.now() - seconds * 1000).toISOString()
    const where = { repo: 'kimchi/kernel', branch: 'main', commit: 'abc1234', student: 'haeun@example.org' }
    const written = await ingest(pages.fairgate.logbookUrl, pages.event.logged.token, [
      { ts, tool: 'codex', session_id: session, ...where, ...members },
    ])
    expect(written.ok).toBe(true)
  }

  test('the drawer explains a refused call and closes with Back; for a charged call it shows the price breakdown', async () => {
    const { page, faults } = await pages.openConsole('/console/calls?outcome=refused')
    await page.waitForSelector('tr[data-row]')
    await page.click('tr[data-row]')
    await page.waitForSelector('[role=dialog] [data-explanation]')
    expect(page.url()).toContain('call=')
    await page.goBack()
    await gone(page, '[role=dialog]')
    await page.goto(`${pages.fairgate.adminUrl}/console/calls?team=${pages.event.limited.teamId}`)
    await page.waitForSelector('[data-totals]')
    expect(await textOf(page, '[data-totals]')).toContain('refused')
    await says(page, `tr[data-row] a[title="${pages.event.limited.teamId}"]`, 'Cedar & Code')
    const csv = await page.evaluate(async () => {
      const link = document.querySelector('a[download]')?.getAttribute('href') ?? ''
      return await (await fetch(link)).text()
    })
    expect(csv).toContain('rpm_exceeded')
    // The end of the seeded session's id.
    await ready(page, '…00000001')
    await page.goto(
      `${pages.fairgate.adminUrl}/console/calls?outcome=completed&team=${pages.event.logged.teamId}`,
    )
    await page.waitForSelector('tr[data-row]')
    await page.click('tr[data-row]')
    await ready(page, 'Price breakdown')
    // Refunds the whole call; the form requires a reason.
    await page.click('text/Refund…')
    await page.waitForSelector('[role=dialog] [data-confirm]')
    expect(await page.$eval('[data-confirm]', button => button.getAttribute('disabled'))).not.toBeNull()
    await ready(page, 'The call costs')
    await page.type('[role=dialog] form input[required]', 'The upstream was slow')
    await page.waitForSelector('[data-confirm]:not([disabled])')
    await page.click('[data-confirm]')
    await ready(page, 'After corrections')
    expect(faults).toEqual([])
    await page.close()
  })

  test('repeated refusals show the time of the first one, and the list is sorted by it', async () => {
    const { page, faults } = await pages.openConsole('/console')
    const reply = await pages.fairgate.manage.call('GET', '/calls?limit=3')
    const list = (await reply.json()) as OrganiserCallsPage
    const last_at = new Date(Date.now() + 60_000).toISOString()
    const items = list.items.map(call => ({ ...call, outcome: 'refused', count: 9, last_at }))
    await page.setRequestInterception(true)
    page.on('request', request =>
      new URL(request.url()).pathname === '/calls'
        ? request.respond({
            contentType: 'application/json',
            body: JSON.stringify({ ...list, items, next_before: null }),
          })
        : request.continue(),
    )
    await page.goto(`${pages.fairgate.adminUrl}/console/calls`)
    await page.waitForSelector('tr[data-row]')
    const shown = await page.$$eval('tr[data-row] td:first-child time', all =>
      all.map(each => each.getAttribute('datetime')),
    )
    expect(shown).toEqual(items.map(({ received_at }) => received_at))
    expect(faults).toEqual([])
    await page.close()
  })

  test('the limit that refused a call, of a team or a key, is raised from its drawer and from the overview', async () => {
    const { teamId } = pages.event.limited
    const { page, faults } = await pages.openConsole(`/console/calls?team=${teamId}&outcome=refused`)
    await page.waitForSelector('tr[data-row]')
    await page.click('tr[data-row]')
    await press(page, 'Raise this limit…')
    await ready(page, 'Limits of Cedar & Code')
    await holdsFocus(page, 'Requests per minute')
    await fill(page, 'Requests per minute', '30')
    await says(page, '[role=dialog] .changes', '2 → 30')
    await fill(page, 'Reason', 'They ask for more')
    await confirm(page)
    await says(page, '.toast', 'Done: Set limits')
    const { team_info } = await pages.fairgate.manage.teamInfo(teamId)
    expect(team_info.rpm_limit).toBe(30)
    const cranes = pages.event.teams.find(each => each.teamId === 'paper-cranes')?.key ?? ''
    await pages.fairgate.manage.post('/key/update', { key: cranes, rpm_limit: 1 })
    const call = async () => {
      const { status } = await fetch(`${pages.fairgate.gatewayUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${cranes}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'mm-2.5-flash', messages: [{ role: 'user', content: 'Hello?' }] }),
      })
      return status
    }
    expect([await call(), await call()]).toEqual([200, 429])
    await page.goto(`${pages.fairgate.adminUrl}/console/calls?team=paper-cranes&outcome=refused`)
    await page.waitForSelector('tr[data-row]')
    // The server would report these refusals only minutes later.
    const conditions: AttentionReply = {
      as_of: new Date().toISOString(),
      version: 1,
      items: [
        {
          condition_id: 'refused_often:paper-cranes',
          kind: 'refused_often',
          severity: 'warning',
          subjects: [{ kind: 'team', id: 'paper-cranes', name: 'Paper Cranes' }],
          text: 'Paper Cranes: 9 of 10 calls were refused.',
          since: new Date().toISOString(),
          action: null,
          snoozed: null,
        },
      ],
      next: null,
      total: { count: 1, critical: 0, warning: 1, exact: true },
    }
    await page.setRequestInterception(true)
    page.on('request', request =>
      new URL(request.url()).pathname === '/attention'
        ? request.respond({ contentType: 'application/json', body: JSON.stringify(conditions) })
        : request.continue(),
    )
    await page.goto(`${pages.fairgate.adminUrl}/console`)
    await press(page, 'Raise this limit…')
    await ready(page, 'Limits of sk-...')
    await holdsFocus(page, 'Requests per minute')
    await fill(page, 'Requests per minute', '9')
    await says(page, '[role=dialog] .changes', '1 → 9')
    expect(faults).toEqual([])
    await page.close()
  })

  test('the sessions of a team lead to the conversation and back', async () => {
    const { page, faults } = await pages.openConsole('/console/sessions')
    // Those of all teams.
    await ready(page, 'Team')
    await page.waitForSelector('tr[data-row]')
    await page.goto(`${pages.fairgate.adminUrl}/console/sessions?team=${pages.event.logged.teamId}`)
    await page.waitForSelector('tr[data-row]')
    await page.click('tr[data-row] td:last-child')
    await page.waitForSelector('.talk-entry')
    expect(new URL(page.url()).pathname).toBe(sessionPath)
    await page.goBack()
    await whenPath(page, '/console/sessions')
    await page.waitForSelector('tr[data-row]')
    await page.click('text/Not in the log')
    await whenSearch(page, 'logged=no')
    await ready(page, 'No sessions match this filter.')
    expect(faults).toEqual([])
    await page.close()
  })

  test('a conversation shows prompts and unfolded failures, and keys move through it', async () => {
    const { page, faults } = await pages.openConsole(sessionPath)
    await page.waitForSelector('.talk-entry[data-kind=prompt]')
    await ready(page, 'exit 1')
    await ready(page, 'Show all 40 lines')
    await page.keyboard.press('j')
    await whenSearch(page, 'seq=')
    const first = page.url()
    await page.waitForSelector('.talk-entry[data-active=true]')
    await page.keyboard.press('j')
    await page.waitForFunction((before: string) => location.href !== before, looking, first)
    await page.keyboard.press('k')
    await page.waitForFunction((before: string) => location.href === before, looking, first)
    await page.keyboard.press('e')
    await ready(page, 'line 39: expected 3, got 4')
    expect(faults).toEqual([])
    await page.close()
  })

  test('an edit is shown as a diff, a late entry is marked, and new entries appear live', async () => {
    const { page, faults } = await pages.openConsole(sessionPath)
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
  })

  test('a link opens an entry at its place, and a large entry is loaded in full on request', async () => {
    const session = 'large-session'
    for (let index = 0; index < 3; index += 1)
      await ingest(
        pages.fairgate.logbookUrl,
        pages.event.logged.token,
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
    const reply = await pages.fairgate.manage.call(
      'GET',
      `/logs/search?q=${encodeURIComponent('"the very end"')}`,
    )
    const found = (await reply.json()) as SearchReply
    const seq = found.items[0]?.hits[0]?.seq ?? 0
    const { page, faults } = await pages.openConsole(
      `/console/sessions/${pages.event.logged.teamId}/${session}#e${seq}`,
    )
    await page.waitForSelector(`#e${seq}[data-active=true]`)
    await page.click(`#e${seq} [data-whole]`)
    await page.waitForFunction(
      (id: string) => document.querySelector(`#${id} [data-whole]`) === null,
      looking,
      `e${seq}`,
    )
    await page.keyboard.press('e')
    await ready(page, 'the very end')
    // Earlier items are loaded on demand.
    expect(await page.$(`#e${seq - 180}`)).toBeNull()
    await page.click('text/Show earlier items')
    await page.waitForSelector(`#e${seq - 140}`)
    expect(faults).toEqual([])
    await page.close()
  })

  test('an entry is shown as it is stored, and raw entries open within the session', async () => {
    const { page, faults } = await pages.openConsole(`/console/entries/${pages.event.logged.teamId}/1`)
    await page.waitForSelector('[data-stored]')
    expect(await textOf(page, '[data-stored]')).toContain('"event": "UserPromptSubmit"')
    await page.click('dl a')
    await page.waitForSelector('#e1[data-active=true]')
    await page.click('text/Raw entries')
    await page.waitForSelector('.raw-entry#e1 [data-fold]')
    await page.click('.raw-entry#e1 [data-fold]')
    await page.waitForSelector('.raw-entry#e1 [data-stored]')
    await page.goto(`${pages.fairgate.adminUrl}/console/entries/${pages.event.logged.teamId}/999999`)
    await ready(page, 'has no entry 999999')
    expect(faults).toEqual([])
    await page.close()
  })

  test('the search marks its matches, opens them at their place, and shows when there are none', async () => {
    const { page, faults } = await pages.openConsole('/console/search')
    await page.waitForSelector('input[aria-label="Search text"]')
    await page.type('input[aria-label="Search text"]', 'starves low')
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
    await page.goto(`${pages.fairgate.adminUrl}/console/search?q=nowhere-to-be-found`)
    await ready(page, 'No entry contains')
    await page.goto(`${pages.fairgate.adminUrl}/console/search?q=-only`)
    await ready(page, 'The search could not be loaded.')
    expect(faults).toEqual([])
    await page.close()
  })

  test('the audit shows values before and after, and can be filtered', async () => {
    await pages.fairgate.manage.post('/team/update', { team_id: 'tidal-lock', max_budget: 31 })
    const { page, faults } = await pages.openConsole('/console/audit?subject=tidal-lock&action=team.update')
    await page.waitForSelector('[data-audit] ins')
    expect(await textOf(page, '.audit-changes')).toContain('31')
    await page.goto(`${pages.fairgate.adminUrl}/console/audit?action=no-such-act`)
    await ready(page, 'No changes match this filter')
    await fill(page, 'What', 'TEAM')
    await press(page, 'team.update', '[role=option]')
    await whenSearch(page, 'action=team.update')
    await page.waitForSelector('[data-audit] ins')
    await says(page, '[data-audit] a[title="tidal-lock"]', 'Tidal Lock')
    expect(faults).toEqual([])
    await page.close()
  })
})
