// suite: 116 s
// The page of a team in a real browser: the five questions of a participant, live figures, wrong sign-ins, hostile text, small screens.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { ingest } from '../testing/logbook-client.ts'
import { type Fairgate, startFairgate } from '../testing/start-fairgate.ts'
import { findBarriers } from './testing/check-accessibility.ts'
import { findChromium } from './testing/find-chromium.ts'
import { openBrowser, type TestBrowser } from './testing/open-browser.ts'
import { hostileTexts, type SeededEvent, seedEvent } from './testing/seed-event.ts'
import { signInToTeamPage } from './testing/sign-in.ts'

const ready = (page: Page, text: string) =>
  page.waitForFunction((wanted: string) => document.body?.textContent?.includes(wanted), {}, text)
const gone = (page: Page, text: string) =>
  page.waitForFunction((wanted: string) => document.body?.textContent?.includes(wanted) === false, {}, text)
const textOf = (page: Page, selector: string) =>
  page.$eval(selector, ({ textContent }) => textContent?.replaceAll(/\s+/g, ' ') ?? '')
const at = (page: Page, path: string) =>
  page.waitForFunction((wanted: string) => location.pathname + location.search === wanted, {}, path)
const countOf = (text: string, part: string) => text.split(part).length - 1

const screens = [
  ['/', 'Left to spend'],
  ['/connect', 'Your key, in the shell'],
  ['/calls', 'Calls'],
  ['/log', 'Is it complete?'],
  ['/limits', 'per 1 M'],
  ['/ask', 'Ask the organisers'],
] as const

describe.skipIf(findChromium() === null)('the page of a team', () => {
  let fairgate: Fairgate
  let event: SeededEvent
  let browser: TestBrowser
  /** Of a person who has a log token too. */
  let memberKey = ''
  const keyOf = (teamId: string) => event.teams.find(team => team.teamId === teamId)?.key ?? ''

  beforeAll(async () => {
    fairgate = await startFairgate()
    event = await seedEvent(fairgate)
    const { manage } = fairgate
    const { member_id } = await manage.post<{ member_id: string }>('/people', {
      team_id: 'tidal-lock',
      name: `Aiko ${hostileTexts.html}`,
    })
    memberKey = await manage.key('tidal-lock', { member_id, key_alias: 'laptop' })
    const { token } = await manage.post<{ token: string }>('/log_token/generate', {
      team_id: 'tidal-lock',
      member_id,
    })
    const written = await ingest(
      fairgate.logbookUrl,
      token,
      Object.values(hostileTexts).map((prompt, index) => ({
        ts: new Date(Date.now() - index * 1000).toISOString(),
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
    browser = await openBrowser()
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await fairgate.stop()
  })

  const call = async (key: string, model = 'mm-2.5-flash') => {
    const response = await fetch(`${fairgate.gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, max_tokens: 64, messages: [{ role: 'user', content: 'Hello' }] }),
    })
    await response.text()
    return response.status
  }
  const openSignedIn = async (key: string, options: Parameters<TestBrowser['open']>[0] = {}) => {
    const opened = await browser.open({ isApart: true, ...options })
    await signInToTeamPage(opened.page, fairgate.gatewayUrl, key)
    return opened
  }

  test('answers the five questions of a participant in two clicks at most', async () => {
    const { page, faults } = await openSignedIn(event.limited.key)
    // How much is left, and will it last? What did the organisers say? No click.
    expect(await textOf(page, '.team-money')).toMatch(/^\$2[45]\.\d\d$/)
    expect(await textOf(page, '[aria-label=Budget]')).toMatch(
      /Lasts to the end|Runs dry|Too early|being spent/,
    )
    expect(await textOf(page, '[aria-label="From the organisers"]')).toContain('The upstream was slow')
    // Why was my call refused? No click for the newest, one for the call.
    await page.waitForSelector('[data-refusal]')
    const refusal = await textOf(page, '[data-refusal]')
    expect(refusal).toContain('too many requests')
    expect(refusal).toContain('rpm_exceeded')
    expect(refusal).toContain('Your team may send 2 requests in any 60 s. You sent number 3.')
    expect(refusal).toMatch(/Wait \d+ s\.|There is room again\./)
    expect(countOf(refusal.toLowerCase(), 'nothing was charged')).toBe(1)
    // Are we connected? No click.
    expect(await page.$$eval('.team-light', lights => lights.length)).toBe(4)
    await page.click('text/See the call')
    await page.waitForSelector('[role=dialog] [data-explanation]')
    expect(await textOf(page, '[role=dialog]')).toContain('Room again')
    await page.goBack()
    await at(page, '/')
    await page.waitForFunction(() => document.querySelector('[role=dialog]') === null)
    // How do I connect tool Y? Two clicks.
    await page.click('.team-tabs a[href="/connect"]')
    await page.waitForSelector('.snippet')
    await page.click('text/curl')
    await at(page, '/connect?tool=curl')
    const snippets = await page.$$eval('.snippet', all => all.map(({ textContent }) => textContent))
    expect(snippets[0]).toBe(`export FAIRGATE_KEY=sk-••••••••••••••••${event.limited.key.slice(-4)}`)
    expect(snippets[1]).toContain('/v1/chat/completions')
    await ready(page, 'Copy with key')
    // The key was typed into this tab: after a reload nobody knows it, and it never stood in the page.
    expect(await page.content()).not.toContain(event.limited.key)
    await page.reload()
    await page.waitForSelector('.snippet')
    expect(await textOf(page, 'main')).not.toContain('Copy with key')
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('a call changes the page by itself, and the test of a tool tells what became of it', async () => {
    const key = keyOf('night-ferry')
    const { page, faults } = await openSignedIn(key)
    await ready(page, 'No calls yet. Connect a tool')
    expect(await textOf(page, '.team-money')).toBe('$25.00')
    expect(await call(key)).toBe(200)
    await page.waitForFunction(() => document.querySelector('.team-money')?.textContent === '$24.99')
    await page.waitForSelector('.call-row')
    await page.click('.team-tabs a[href="/connect"]')
    await page.waitForSelector('.snippet')
    await page.click('text/Test it')
    await ready(page, 'Waiting for a call')
    expect(await call(key)).toBe(200)
    await ready(page, 'It works.')
    await page.click('text/Test again')
    await ready(page, 'Waiting for a call')
    expect(await call(key, 'no-such-model')).toBe(404)
    await ready(page, 'was refused: there is no such model here')
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('wrong sign-ins are explained, and the right key leads where the address says', async () => {
    const { page, faults } = await browser.open({ isApart: true })
    const asked: string[] = []
    page.on('request', request => {
      if (request.method() === 'POST') asked.push(request.url())
    })
    await page.goto(`${fairgate.gatewayUrl}/limits`)
    await page.waitForSelector('input[type=password]')
    const send = async (key: string) => {
      await page.click('input[type=password]', { count: 3 })
      await page.type('input[type=password]', key)
      await page.keyboard.press('Enter')
    }
    const attempt = async (key: string, answer: string) => {
      await send(key)
      await page.waitForFunction(
        (wanted: string) =>
          document.querySelector('[role=alert]')?.textContent?.toLowerCase().includes(wanted) === true,
        {},
        answer,
      )
    }
    await attempt(event.logged.token, 'log token')
    await attempt('adm-0123456789abcdef', 'admin key')
    expect(asked).toEqual([])
    await attempt(event.limited.key.slice(0, -3), '3 characters')
    await send(event.limited.key)
    await page.waitForSelector('.team-frame')
    await at(page, '/limits')
    expect(asked.join()).not.toContain('sk-')
    const second = await browser.open({ isApart: true })
    await second.page.goto(`${fairgate.gatewayUrl}/sign-in#once=%E0%A4%A-used-already`)
    await second.page.waitForSelector('[role=alert]')
    expect(await textOf(second.page, '[role=alert]')).toContain('used already')
    expect(second.page.url()).not.toContain('once')
    expect([...faults, ...second.faults]).toEqual([])
    await page.close()
    await second.page.close()
  }, 60_000)

  test('a session that ends keeps what was typed; another team that signs in sees nothing of the first', async () => {
    const { page } = await openSignedIn(keyOf('ginger-root'))
    await page.click('.team-tabs a[href="/ask"]')
    await page.waitForSelector('textarea')
    await page.type('textarea', 'May we use the image model?')
    const [cookie] = await page.cookies(fairgate.gatewayUrl)
    expect(cookie).toMatchObject({ name: 'fairgate_team', httpOnly: true, sameSite: 'Strict' })
    const end = () =>
      fetch(`${fairgate.gatewayUrl}/self/session`, {
        method: 'DELETE',
        headers: { cookie: `fairgate_team=${cookie?.value}`, 'sec-fetch-site': 'same-origin' },
      })
    expect((await end()).status).toBe(200)
    await page.click('text/Ask')
    await page.click('form button[type=submit]')
    await ready(page, 'Your session has ended')
    await page.waitForSelector('[role=dialog] input[type=password]')
    await page.type('[role=dialog] input[type=password]', keyOf('ginger-root'))
    await page.keyboard.press('Enter')
    await gone(page, 'Your session has ended')
    expect(await page.$eval('textarea', field => field.value)).toBe('May we use the image model?')
    expect(await page.title()).toContain('Ginger Root')
    await page.click('[data-account]')
    await page.waitForSelector('[role=menuitem]')
    await page.click('text/Sign out everywhere')
    await page.waitForSelector('input[type=password]')
    await at(page, '/sign-in')
    await page.type('input[type=password]', keyOf('paper-cranes'))
    await page.keyboard.press('Enter')
    await ready(page, 'Paper Cranes')
    expect(await textOf(page, 'body')).not.toContain('Ginger Root')
    await page.close()
  }, 60_000)

  test('a member makes a further key, which is shown once and can then be copied whole', async () => {
    const { page, faults } = await openSignedIn(memberKey)
    await page.goto(`${fairgate.gatewayUrl}/connect`)
    await page.waitForSelector('.snippet')
    await page.click('text/Make a new key')
    await page.waitForSelector('[data-secret]')
    const secret = await textOf(page, '[data-secret]')
    expect(secret).toStartWith('sk-')
    await page.click('text/I have saved it')
    await page.waitForFunction(() => document.querySelector('[data-secret]') === null)
    await ready(page, 'Copy with key')
    expect(await page.content()).not.toContain(secret)
    expect(await call(secret)).toBe(200)
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('a question is asked, answered live, and refused once too many wait', async () => {
    const { page, faults } = await openSignedIn(keyOf('null-pointers'))
    await page.goto(`${fairgate.gatewayUrl}/ask`)
    await page.waitForSelector('textarea')
    const ask = async (text: string) => {
      await page.type('textarea', text)
      await page.click('form button[type=submit]')
    }
    await ask('May we use the image model for slides?')
    await ready(page, 'waiting')
    const { items } = (await (await fairgate.manage.call('GET', '/questions?state=waiting')).json()) as {
      items: { question_id: string }[]
    }
    await fairgate.manage.post(`/questions/${items[0]?.question_id}/answer`, {
      text: `Yes, within your budget. ${hostileTexts.html}`,
      audience: 'team',
    })
    await ready(page, 'Yes, within your budget.')
    for (let index = 0; index < 5; index += 1) {
      await ask(`Question ${index}`)
      await page.waitForFunction(() => document.querySelector('textarea')?.value === '')
    }
    await ask('One too many')
    await page.waitForSelector('[role=alert]')
    expect(await page.$eval('textarea', field => field.value)).toBe('One too many')
    expect(await page.title()).not.toContain('owned')
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('filters and pages of calls stand in the address; an unknown call and an unknown page say so', async () => {
    const { page, faults } = await openSignedIn(event.limited.key)
    await page.goto(`${fairgate.gatewayUrl}/calls?outcome=refused`)
    await page.waitForSelector('.call-row')
    expect(await textOf(page, '.call-rows')).not.toContain('ok')
    await page.goto(`${fairgate.gatewayUrl}/calls?outcome=interrupted`)
    await ready(page, 'No call passes this filter.')
    await page.click('text/Clear the filter')
    await at(page, '/calls')
    await page.waitForSelector('.call-row')
    await page.goto(`${fairgate.gatewayUrl}/calls?call=gw_nothing`)
    await ready(page, 'The call could not be loaded')
    await page.keyboard.press('Escape')
    await at(page, '/calls')
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('shows hostile names, announcements and entries as text, and one session on its own', async () => {
    await fairgate.manage.post('/announcements', {
      text: `${hostileTexts.html} ${hostileTexts.address} ${hostileTexts.long.slice(0, 300)}`,
      teams: ['hostile', 'tidal-lock'],
    })
    for (const [key, paths] of [
      [keyOf('hostile'), screens.map(([path]) => path)],
      [memberKey, ['/', '/log', '/limits']],
    ] as const) {
      const { page, faults } = await openSignedIn(key, { width: 390 })
      for (const path of paths) {
        await page.goto(fairgate.gatewayUrl + path)
        await page.waitForSelector('[aria-label="From the organisers"]')
        await page.waitForSelector('.card')
        if (path === '/log' && key === memberKey) await page.waitForSelector('.entry-row')
        expect(await page.$$eval('main img, main script, main a[href^=javascript]', all => all.length)).toBe(
          0,
        )
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        expect([path, wide]).toEqual([path, 0])
        expect(await page.title()).not.toBe('owned')
      }
      expect(faults).toEqual([])
      await page.close()
    }
    const { page, faults } = await openSignedIn(memberKey)
    await page.goto(`${fairgate.gatewayUrl}/log?session=first-session`)
    await page.waitForSelector('.entry-row')
    expect(await page.$$eval('.entry-row', rows => rows.length)).toBe(1)
    // Put away here, it stays away in this browser.
    await page.click('[aria-label="Put it away"]')
    await page.reload()
    await page.waitForSelector('.entry-row')
    expect(await textOf(page, 'main')).not.toContain('WWWW')
    expect(faults).toEqual([])
    await page.close()
  }, 90_000)

  test('a spent budget, a pause and a lost network are told calmly, and the figures stay', async () => {
    const { team_info } = await fairgate.manage.teamInfo('paper-cranes')
    await fairgate.manage.post('/team/update', { team_id: 'paper-cranes', max_budget: team_info.spend })
    const { page, faults } = await openSignedIn(keyOf('paper-cranes'))
    await page.waitForSelector('[data-spent]')
    expect(await textOf(page, '.team-money')).toBe('$0.00')
    await fairgate.manage.act('POST', '/event/pause', { reason: 'The network is being repaired.' })
    await ready(page, 'The organisers have paused the event. The network is being repaired.')
    await fairgate.manage.act('POST', '/event/resume')
    await gone(page, 'The organisers have paused the event.')
    await page.setOfflineMode(true)
    await ready(page, 'You are offline. Figures of')
    expect(await textOf(page, '.team-money')).toBe('$0.00')
    await page.setOfflineMode(false)
    await gone(page, 'You are offline.')
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test.each(['light', 'dark'] as const)(
    'no barriers and no sideways scroll in the %s theme, from a phone to a wide screen',
    async scheme => {
      const found: string[] = []
      for (const width of [1440, 390]) {
        const { page, faults } = await openSignedIn(event.limited.key, { scheme, width })
        for (const [path, text] of screens) {
          await page.goto(fairgate.gatewayUrl + path)
          await ready(page, text)
          found.push(...(await findBarriers(page)).map(each => `${path} ${width}: ${each}`))
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
          if (wide > 0) found.push(`${path} ${width}: ${wide} px too wide`)
        }
        found.push(...faults)
        await page.close()
      }
      expect(found).toEqual([])
    },
    120_000,
  )
})

describe.skipIf(findChromium() === null)('the link to the page of a team', () => {
  test('signs in once, and leaves nothing in the address', async () => {
    const fairgate = await startFairgate({ variables: { VENDOR_API_KEY: '', VENDOR_BASE_URL: '' } })
    const browser = await openBrowser()
    try {
      const filled = await fairgate.manage.post<{ team_page: string }>('/demo/fill', {})
      const here = filled.team_page.replace(/^https?:\/\/[^/]+/, fairgate.gatewayUrl)
      const { page, faults } = await browser.open({ isApart: true })
      await page.goto(here)
      await page.waitForSelector('.team-frame')
      expect(page.url()).toBe(`${fairgate.gatewayUrl}/`)
      expect(faults).toEqual([])
      const second = await browser.open({ isApart: true })
      await second.page.goto(here)
      await second.page.waitForSelector('[role=alert]')
      expect(await textOf(second.page, '[role=alert]')).toContain('used already')
    } finally {
      await browser.close()
      await fairgate.stop()
    }
  }, 90_000)
})
