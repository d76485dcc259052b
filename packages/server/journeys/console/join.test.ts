// suite: 12 s
// From the code on the sheet to the team page. Only this file notices a barrier on the join pages, or setup lights that do not come on while the page is open.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Joined } from '@fairgate/contracts/join/join.ts'
import { recorderHeader, writeRecorderReport } from '@fairgate/contracts/logbook/recorder-report.ts'
import type { MadeClaims } from '@fairgate/contracts/management/claims.ts'
import type { Page } from 'puppeteer-core'
import decodeQR from 'qr/decode.js'
import { sampleEntry } from '../testing/logbook-client.ts'
import type { Fairgate } from '../testing/start-fairgate.ts'
import { startFairgate } from '../testing/start-fairgate.ts'
import { findFaults } from './testing/check-screen.ts'
import { findChromium } from './testing/find-chromium.ts'
import { openBrowser, type TestBrowser } from './testing/open-browser.ts'
import { hostileTexts } from './testing/seed-event.ts'
import { ready, textOf } from './testing/use-page.ts'

/** The image that a camera sees: four pixels for each dot. */
function drawDots(svg: string) {
  const size = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]) * 4
  const data = new Uint8Array(size * size * 4).fill(255)
  for (const [, x, y] of svg.matchAll(/M(\d+) (\d+)h1/g))
    for (let row = 0; row < 4; row += 1)
      for (let column = 0; column < 4; column += 1)
        data.set([0, 0, 0], ((Number(y) * 4 + row) * size + Number(x) * 4 + column) * 4)
  return { width: size, height: size, data }
}

describe.skipIf(findChromium() === null)('joining', () => {
  let fairgate: Fairgate
  let browser: TestBrowser
  beforeAll(async () => {
    fairgate = await startFairgate()
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await fairgate.stop()
  })

  const claim = async (teamId: string, alias: string, names: readonly string[], fields: object = {}) => {
    await fairgate.manage.post('/team/new', { team_id: teamId, team_alias: alias, max_budget: 5 })
    for (const name of names) await fairgate.manage.post('/people', { team_id: teamId, name })
    const { items } = await fairgate.manage.post<MadeClaims>('/claims', { teams: [teamId], ...fields })
    const [made] = items
    if (made === undefined) throw new Error('No claim was made.')
    return made
  }

  /** Does what the pasted line does. */
  const runLine = async (line: string): Promise<Joined> => {
    const [, url = ''] = /curl -fsSL (\S+) /.exec(line) ?? []
    const reply = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ laptop: 'ab'.repeat(16) }),
    })
    expect(reply.status).toBe(200)
    return (await reply.json()) as Joined
  }
  const chat = (key: string, model = 'mm-2.5-flash') =>
    fetch(`${fairgate.gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello?' }] }),
    })
  const record = async (token: string) => {
    const report = { version: '0.1.0', cloneId: '0badcafe', unsent: 0, oldestSeconds: null }
    const reply = await fetch(`${fairgate.logbookUrl}/api/ingest`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        [recorderHeader]: writeRecorderReport({
          ...report,
          rejected: 0,
          gone: [],
          sentSeconds: Date.now() / 1000 - 3 * 3600,
        }),
      },
      body: JSON.stringify({ entries: [sampleEntry] }),
    })
    expect(reply.status).toBe(202)
  }
  const lightsOf = (page: Page) =>
    page.$$eval('[data-light]', items => items.map(item => item.getAttribute('data-state') ?? ''))

  test('from the code to the page of the team', async () => {
    const made = await claim('night-ferry', 'Night Ferry', ['Jiwoo Han', 'Mateo Alvarez'])
    const { page, faults } = await browser.open({ isApart: true })
    const found: string[] = []
    const check = async () => {
      found.push(...(await findFaults(page)))
    }
    await page.goto(`${fairgate.gatewayUrl}/join`)
    await check()
    await page.type('input[name=code]', 'not a code')
    await page.keyboard.press('Enter')
    await ready(page, 'That did not work')
    await check()
    await page.click('text/Enter a code')
    await page.waitForSelector('input[name=code]')
    await page.type('input[name=code]', made.code.toLowerCase())
    await page.keyboard.press('Enter')
    await ready(page, 'Hello, Night Ferry')
    await check()
    // The browser does not submit the form without a choice.
    await page.click('button[value=key]')
    expect(new URL(page.url()).pathname).toBe(`/join/${made.code}`)
    await page.click('text/Mateo Alvarez')
    await page.click('button[value=line]')
    await ready(page, 'One line, Mateo Alvarez')
    const line = await page.$eval('pre', code => code.textContent)
    expect(line).toMatch(/^curl -fsSL http.*\/join\/t\/jt_\w+ \| sh$/)
    await ready(page, 'The line has not been run yet.')
    await check()
    await page.click('text/Copy the line')
    await ready(page, 'Copied')
    // The lights turn on while the page is visible, one after the other.
    const joined = await runLine(line ?? '')
    await ready(page, `Created on your laptop; ends in ${joined.key.slice(-4)}.`)
    expect(await lightsOf(page)).toEqual(['ok', 'none', 'none', 'none'])
    expect((await chat(joined.key, 'no-such-model')).status).toBe(404)
    await ready(page, 'The last call failed: model_not_found.')
    expect((await chat(joined.key)).status).toBe(200)
    await ready(page, 'A call succeeded.')
    await check()
    await record(joined.log_token)
    await ready(page, 'The log has an entry from you.')
    expect(await lightsOf(page)).toEqual(['ok', 'ok', 'ok', 'ok'])
    await check()
    await page.goBack()
    await ready(page, 'Hello, Night Ferry')
    await page.click('text/Jiwoo Han')
    await page.click('button[value=key]')
    await ready(page, 'Your key, Jiwoo Han')
    await check()
    await page.click('text/Continue to your team page')
    await ready(page, 'Budget left')
    await ready(page, "Mateo Alvarez's laptop clock is 3 h behind the server's.")
    // A member with "SDK only" gets the recorder line later, without the organisers.
    await page.click('.team-tabs a[href="/connect"]')
    await page.waitForSelector('text/Get a recorder line')
    await page.click('text/Get a recorder line')
    await page.waitForSelector('[data-secret]')
    const later = await page.$eval('[data-secret]', code => code.textContent)
    await check()
    expect(later).toMatch(
      /^curl \S+ \S+\/recorder\/install\.sh .* echo aitc_\w+ \| .*fairgate-recorder init /,
    )
    await page.click('text/I have saved it')
    // From the laptop to the phone: the code signs in once.
    await page.click('[data-account]')
    await page.waitForSelector('[role=menuitem]')
    await page.click('text/Open on your phone')
    await page.waitForSelector('.team-qr')
    await check()
    const link = decodeQR(drawDots(await page.$eval('.team-qr', code => code.outerHTML)))
    expect(link).toStartWith(`${fairgate.gatewayUrl}/sign-in#once=`)
    const phone = await browser.open({ width: 390, isApart: true })
    await phone.page.goto(link)
    await ready(phone.page, 'Budget left')
    expect(new URL(phone.page.url()).hash).toBe('')
    await phone.page.click('[data-account]')
    await phone.page.waitForSelector('[role=menuitem]')
    expect(await textOf(phone.page, 'body')).not.toContain('Open on your phone')
    const again = await browser.open({ width: 390, isApart: true })
    await again.page.goto(link)
    await ready(again.page, 'This sign-in link was used already')
    expect([...found, ...faults, ...phone.faults]).toEqual([])
    for (const each of [page, phone.page, again.page]) await each.close()
  })

  test('hostile names stay plain text, and a full team says so', async () => {
    const made = await claim('hostile', hostileTexts.html, [`Eve ${hostileTexts.reordered}`])
    const { page, faults } = await browser.open({ width: 360, isApart: true })
    await page.goto(made.url)
    await ready(page, 'Who are you?')
    const seen = await page.evaluate(() => ({
      harmed: document.querySelectorAll('img, [onerror], main script').length,
      title: document.title.startsWith('owned'),
    }))
    expect(seen).toEqual({ harmed: 0, title: false })
    const found = await findFaults(page)
    await page.click('input[type=radio]')
    await page.click('button[value=key]')
    await ready(page, 'Your key is shown only once.')
    await page.goto(made.url)
    await ready(page, 'All seats on this team are taken.')
    found.push(...(await findFaults(page)))
    expect([...found, ...faults]).toEqual([])
    await page.close()
  })
})
