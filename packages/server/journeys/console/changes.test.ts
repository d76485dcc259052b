// suite: 35 s
// One change of each kind in the console, and live updates. Only this file notices a dialog that does something other than its preview, a secret that stays on the page, or a screen that is not live.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { TeamsReply } from '@fairgate/contracts/console/teams.ts'
import type { NewAdminKeyReply } from '@fairgate/contracts/management/access.ts'
import type { AnnouncementList } from '@fairgate/contracts/management/announcements.ts'
import type { EventRecord } from '@fairgate/contracts/management/event.ts'
import type { NoteList } from '@fairgate/contracts/management/notes.ts'
import { ingest } from '../testing/logbook-client.ts'
import { findFaults } from './testing/check-screen.ts'
import { findChromium } from './testing/find-chromium.ts'
import { startPages, type TestPages } from './testing/start-pages.ts'
import { confirm, fill, gone, press, ready, says, whenPath } from './testing/use-page.ts'

describe.skipIf(findChromium() === null)('in the console', () => {
  let pages: TestPages

  beforeAll(async () => {
    pages = await startPages()
  })
  afterAll(() => pages.stop())

  const read = async <Reply>(path: string): Promise<Reply> =>
    (await (await pages.fairgate.manage.call('GET', path)).json()) as Reply
  const call = (key: string, members: Readonly<Record<string, string>> = {}) =>
    fetch(`${pages.fairgate.gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...members },
      body: JSON.stringify({
        model: 'mm-2.5-flash',
        max_tokens: 16,
        messages: [{ role: 'user', content: 'Hello?' }],
      }),
    })

  test('grants money to selected teams after a preview', async () => {
    const { page, faults } = await pages.openConsole('/console/teams?sort=team_id')
    await page.waitForSelector('tr[data-row="ginger-root"]')
    await page.click('tr[data-row="cedar-and-code"] input[type=checkbox]')
    await page.click('tr[data-row="ginger-root"] input[type=checkbox]')
    await press(page, 'Grant…')
    await fill(page, 'Amount per team', '5')
    await ready(page, '$0.00 → $5.00')
    expect(await page.$('[data-confirm]:not([disabled])')).toBeNull()
    await fill(page, 'Reason', 'The upstream was slow')
    await confirm(page)
    await gone(page, '.selection-bar')
    const { items } = await read<TeamsReply>('/teams?sort=team_id')
    const budgets = items.map(({ team_id, budget_nano }) => [team_id, budget_nano])
    expect(budgets).toContainEqual(['cedar-and-code', 30_000_000_000])
    expect(budgets).toContainEqual(['ginger-root', 30_000_000_000])
    expect(budgets).toContainEqual(['tidal-lock', 25_000_000_000])
    await says(page, 'tr[data-row="ginger-root"]', 'of $30.00')
    expect(faults).toEqual([])
    await page.close()
  })

  test('a new key is shown once, and works', async () => {
    const { page, faults } = await pages.openConsole('/console/teams/ginger-root/people')
    await press(page, 'New key')
    await fill(page, 'Name', 'laptop of Kim')
    await confirm(page)
    const shown = await page.waitForSelector('[data-secret]')
    const secret = (await shown?.evaluate(element => element.textContent)) ?? ''
    expect(secret).toStartWith('sk-')
    expect((await call(secret)).status).toBe(200)
    await press(page, 'I have saved it')
    await gone(page, '[data-secret]')
    await says(page, '[data-part=keys]', 'laptop of Kim')
    expect(await page.content()).not.toContain(secret)
    expect(faults).toEqual([])
    await page.close()
  })

  test('a phase is extended after a preview, and the screen lists the change', async () => {
    const { page, faults } = await pages.openConsole('/console/event?do=extend')
    const endOfContest = async () => {
      const { phases } = await read<EventRecord>('/event')
      return Date.parse(phases.find(({ name }) => name === 'Contest')?.until ?? '')
    }
    await says(page, '.changes', 'Contest')
    const before = await endOfContest()
    await fill(page, 'Reason', 'The upstream was slow')
    await confirm(page)
    expect((await endOfContest()) - before).toBe(15 * 60_000)
    await ready(page, 'event.extend')
    await press(page, 'Undo')
    await says(page, '.toast', 'Undone')
    expect(await endOfContest()).toBe(before)
    expect(faults).toEqual([])
    await page.close()
  })

  test('an announcement is previewed as text before it is sent', async () => {
    const { page, faults } = await pages.openConsole('/console/messages?do=announce')
    await page.waitForSelector('[role=dialog] textarea')
    await page.type('[role=dialog] textarea', 'Lunch is <b>served</b> in hall 2.')
    await says(page, '.announcement-preview', 'Lunch is <b>served</b> in hall 2.')
    await confirm(page)
    const { items } = await read<AnnouncementList>('/announcements')
    expect(items.map(({ text }) => text)).toContain('Lunch is <b>served</b> in hall 2.')
    expect(faults).toEqual([])
    await page.close()
  })

  test('a question arrives while the page is open, and its answer reaches the team', async () => {
    const { page, faults } = await pages.openConsole('/console/messages')
    await ready(page, 'No questions are waiting for an answer')
    const own = (body?: object) =>
      fetch(`${pages.fairgate.gatewayUrl}/self/questions`, {
        headers: {
          authorization: `Bearer ${pages.event.limited.key}`,
          'content-type': 'application/json',
        },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      })
    expect((await own({ text: 'May we use <i>pens</i>?' })).ok).toBe(true)
    await ready(page, 'May we use <i>pens</i>?')
    await page.type('form textarea', 'Yes, blue ones.')
    await page.click('form button[type=submit]')
    await ready(page, 'No questions are waiting for an answer')
    expect(await (await own()).text()).toContain('Yes, blue ones.')
    expect(faults).toEqual([])
    await page.close()
  })

  test('a judge writes a note and deletes it', async () => {
    const { key } = await pages.fairgate.manage.post<NewAdminKeyReply>('/admin_keys', {
      name: 'judge-one',
      role: 'judge',
    })
    const { page, faults } = await pages.openConsole('/console/teams/paper-cranes/notes', { key })
    await ready(page, 'No notes about this team yet')
    await fill(page, 'New note', 'They test <b>by hand</b>.')
    await press(page, 'Save note')
    await says(page, '[data-note]', 'They test <b>by hand</b>.')
    const written = async () => (await read<NoteList>('/notes?team_id=paper-cranes')).items
    expect(await written()).toMatchObject([{ text: 'They test <b>by hand</b>.', author: 'judge-one' }])
    await press(page, 'Delete…')
    await confirm(page)
    await gone(page, '[data-note]')
    expect(await written()).toEqual([])
    expect(faults).toEqual([])
    await page.close()
  })

  test('a call appears in the list of teams without a reload', async () => {
    const { page, faults } = await pages.openConsole('/console/teams?q=night')
    await says(page, 'tr[data-row="night-ferry"]', 'Not started')
    const key = await pages.fairgate.manage.key('night-ferry')
    expect((await call(key)).status).toBe(200)
    await says(page, 'tr[data-row="night-ferry"]', 'Working')
    expect(faults).toEqual([])
    await page.close()
  })

  test('an open conversation shows a new call at its place', async () => {
    const { key, teamId } = pages.event.logged
    const { sessionId } = pages.event
    const { page, faults } = await pages.openConsole(`/console/sessions/${teamId}/${sessionId}`)
    await page.waitForSelector('.talk-entry[data-kind=prompt]')
    await page.waitForSelector('[data-live=live]')
    const made = await call(key, { 'user-agent': 'codex_cli_rs/0.160.0', 'session-id': sessionId })
    expect(made.status).toBe(200)
    await page.waitForSelector(`.talk-call[data-call="${made.headers.get('x-gateway-call-id')}"]`)
    expect(faults).toEqual([])
    await page.close()
  })

  test('a logged entry appears at the top of the logbook at once', async () => {
    const { page, faults } = await pages.openConsole('/console/logbook')
    await page.waitForSelector('tr[data-row]')
    const { token, teamId } = pages.event.limited
    const written = await ingest(pages.fairgate.logbookUrl, token, [
      {
        ...{ ts: new Date().toISOString(), tool: 'codex', event: 'UserPromptSubmit' },
        ...{ session_id: `session-of-${teamId}`, repo: 'a/b', branch: 'main', commit: 'abc1234' },
        ...{ student: 'haeun@example.org', prompt: 'Turn it <b>twice</b>.' },
      },
    ])
    expect(written.status).toBe(202)
    await says(page, 'tr[data-row]', 'Turn it <b>twice</b>.')
    expect(faults).toEqual([])
    await page.close()
  })

  test('a wall created in the settings shows live data, and nothing after it is removed', async () => {
    const { page, faults } = await pages.openConsole('/console/settings?tab=walls')
    await press(page, 'New wall')
    await page.waitForSelector('[role=dialog] input[data-autofocus]')
    await page.type('[role=dialog] input[data-autofocus]', 'Hall 1')
    await page.click('[role=dialog] button[type=submit]')
    await page.waitForSelector('[data-secret]')
    const link = await page.$eval('[data-secret]', ({ textContent }) => textContent)
    const wall = await pages.browser.open({ isApart: true })
    await wall.page.goto(pages.fairgate.gatewayUrl + new URL(link ?? '').pathname)
    await ready(wall.page, 'Kimchi Kernel')
    await ready(wall.page, 'left until')
    // Team names are plain text on the wall too.
    await ready(wall.page, 'RLO U+202E')
    await pages.fairgate.manage.post('/announcements', { text: 'Lunch is ready in hall 2.' })
    await ready(wall.page, 'Lunch is ready in hall 2.')
    const found = await findFaults(wall.page)
    await press(page, 'I have saved it')
    await ready(page, 'Hall 1')
    await press(page, 'Remove')
    await fill(page, 'Reason', 'The hall closes')
    await confirm(page)
    await ready(page, 'No wall links yet')
    await wall.page.reload()
    await ready(wall.page, 'no longer works')
    expect([...faults, ...wall.faults, ...found]).toEqual([])
    await page.close()
    await wall.page.close()
  })

  test('the palette finds and opens a team, and never sends a secret that is typed into it', async () => {
    const { page, faults } = await pages.openConsole('/console/models')
    const search = async (text: string, found: string) => {
      await page.keyboard.down('Control')
      await page.keyboard.press('k')
      await page.keyboard.up('Control')
      await page.waitForSelector('[role=combobox]')
      await page.type('[role=combobox]', text)
      await says(page, '[role=option]', found)
    }
    await ready(page, 'mm-2.5-flash')
    await search('kimchi', 'Kimchi Kernel')
    await page.keyboard.press('Enter')
    await whenPath(page, '/console/teams/kimchi-kernel')
    // A secret is looked up by its digest.
    const asked: string[] = []
    page.on('request', request => asked.push(request.url() + (request.postData() ?? '')))
    await ready(page, 'Budget left')
    await search(pages.event.limited.key, 'key')
    expect(asked.filter(text => text.includes(pages.event.limited.key))).toEqual([])
    expect(faults).toEqual([])
    await page.close()
  })
})
