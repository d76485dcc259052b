// suite: 35 s
// The team page. Only this file notices that participants cannot sign in, cannot see why a call was refused, get no live figures, or face a barrier.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { findFaults } from './testing/check-screen.ts'
import { findChromium } from './testing/find-chromium.ts'
import { hostileTexts } from './testing/seed-event.ts'
import { signInToTeamPage } from './testing/sign-in.ts'
import { startTeamPages, type TeamPages } from './testing/start-team-pages.ts'
import { at, gone, looking, press, ready, says, textOf } from './testing/use-page.ts'

const countOf = (text: string, part: string) => text.split(part).length - 1

describe.skipIf(findChromium() === null)('the page of a team', () => {
  let pages: TeamPages
  beforeAll(async () => {
    pages = await startTeamPages()
  })
  afterAll(() => pages.stop())

  test("answers a participant's five questions in at most two clicks", async () => {
    const { page, faults } = await pages.browser.open({ isApart: true })
    await signInToTeamPage(page, pages.fairgate.gatewayUrl, pages.event.limited.key)
    // How much is left, and will it last? What did the organisers say? No click.
    expect(await textOf(page, '.team-money')).toMatch(/^\$2[45]\.\d\d$/)
    expect(await textOf(page, '[aria-label=Budget]')).toMatch(
      /Lasts until the end|Budget lasts until|Too early|No spending/,
    )
    expect(await textOf(page, '[aria-label="From the organisers"]')).toContain('The upstream was slow')
    // Why was my call refused? No click for the newest, one for the call.
    await page.waitForSelector('[data-refusal]')
    const refusal = await textOf(page, '[data-refusal]')
    expect(refusal).toContain('too many requests')
    expect(refusal).toContain('rpm_exceeded')
    expect(refusal).toContain('Your team can send 2 requests in any 60 s. This was number 3.')
    expect(refusal).toMatch(/Wait \d+ s\.|You can try again now\./)
    expect(countOf(refusal.toLowerCase(), 'nothing was charged')).toBe(1)
    // Are we connected? No click.
    expect(await page.$$eval('.team-light', lights => lights.length)).toBe(4)
    await page.click('text/View call')
    await page.waitForSelector('[role=dialog] [data-explanation]')
    expect(await textOf(page, '[role=dialog]')).toContain('Room again')
    await page.goBack()
    await at(page, '/')
    await gone(page, '[role=dialog]')
    // How do I connect tool Y? Two clicks.
    await page.click('.team-tabs a[href="/connect"]')
    await page.waitForSelector('.snippet')
    await page.click('text/curl')
    await at(page, '/connect?tool=curl')
    const snippets = await page.$$eval('.snippet', all => all.map(({ textContent }) => textContent))
    expect(snippets[0]).toBe(`export FAIRGATE_KEY=sk-••••••••••••••••${pages.event.limited.key.slice(-4)}`)
    expect(snippets[1]).toContain('/v1/chat/completions')
    await ready(page, 'Copy with key')
    // The key was typed into this tab: it is gone after a reload, and it was never in the page.
    expect(await page.content()).not.toContain(pages.event.limited.key)
    await page.reload()
    await page.waitForSelector('.snippet')
    expect(await textOf(page, 'main')).not.toContain('Copy with key')
    expect(faults).toEqual([])
    await page.close()
  })

  test('a call updates the page live, and testing a tool shows the outcome of its call', async () => {
    const key = pages.keyOf('night-ferry')
    const { page, faults } = await pages.openTeamPage('/', key)
    await ready(page, 'No calls yet. Connect a tool')
    expect(await textOf(page, '.team-money')).toBe('$25.00')
    expect(await pages.call(key)).toBe(200)
    await says(page, '.team-money', '$24.99')
    await page.waitForSelector('.call-row')
    await page.click('.team-tabs a[href="/connect"]')
    await page.waitForSelector('.snippet')
    await page.click('text/Test it')
    await ready(page, 'Waiting for a call')
    expect(await pages.call(key)).toBe(200)
    await ready(page, 'It works.')
    await page.click('text/Test again')
    await ready(page, 'Waiting for a call')
    expect(await pages.call(key, 'no-such-model')).toBe(404)
    await ready(page, 'was refused: no such model')
    expect(faults).toEqual([])
    await page.close()
  })

  test('wrong sign-ins are explained, and the right key opens the page in the address', async () => {
    const { page, faults } = await pages.browser.open({ isApart: true })
    const asked: string[] = []
    page.on('request', request => {
      if (request.method() === 'POST') asked.push(request.url())
    })
    await page.goto(`${pages.fairgate.gatewayUrl}/limits`)
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
        looking,
        answer,
      )
    }
    await attempt(pages.event.logged.token, 'log token')
    await attempt('adm-0123456789abcdef', 'admin key')
    expect(asked).toEqual([])
    await attempt(pages.event.limited.key.slice(0, -3), '3 characters')
    await send(pages.event.limited.key)
    await page.waitForSelector('.team-frame')
    await at(page, '/limits')
    expect(asked.join()).not.toContain('sk-')
    await page.click('[data-account]')
    await press(page, 'Sign out', '[role=menuitem]')
    await at(page, '/sign-in')
    const second = await pages.browser.open({ isApart: true })
    await second.page.goto(`${pages.fairgate.gatewayUrl}/sign-in#once=%E0%A4%A-used-already`)
    await second.page.waitForSelector('[role=alert]')
    expect(await textOf(second.page, '[role=alert]')).toContain('used already')
    expect(second.page.url()).not.toContain('once')
    expect([...faults, ...second.faults]).toEqual([])
    await page.close()
    await second.page.close()
  })

  test('a question is asked and answered live, and refused once too many are waiting', async () => {
    const { page, faults } = await pages.openTeamPage('/ask', pages.keyOf('null-pointers'))
    await page.waitForSelector('textarea')
    const ask = async (text: string) => {
      await page.type('textarea', text)
      await page.click('form button[type=submit]')
    }
    await ask('May we use the image model for slides?')
    await ready(page, 'waiting')
    const { items } = (await (
      await pages.fairgate.manage.call('GET', '/questions?state=waiting')
    ).json()) as {
      items: { question_id: string }[]
    }
    await pages.fairgate.manage.post(`/questions/${items[0]?.question_id}/answer`, {
      text: `Yes, within your budget. ${hostileTexts.html}`,
      audience: 'team',
    })
    await ready(page, 'Yes, within your budget.')
    for (let index = 0; index < 5; index += 1) {
      await ask(`Question ${index}`)
      await page.waitForFunction(() => document.querySelector('textarea')?.value === '', looking)
    }
    await ask('One too many')
    await page.waitForSelector('[role=alert]')
    expect(await page.$eval('textarea', field => field.value)).toBe('One too many')
    expect(await page.title()).not.toContain('owned')
    expect(faults).toEqual([])
    await page.close()
  })

  test.each([
    ['/', 'member', 'Budget left'],
    ['/connect', 'member', 'Your key, in the shell'],
    ['/calls', 'member', 'mm-2.5-flash'],
    ['/log', 'member', 'claims 1 Jan 2099'],
    ['/limits', 'member', 'per 1 M'],
    ['/ask', 'member', 'Ask the organisers'],
    ['/', 'hostile', 'RLO U+202E'],
    ['/', 'cedar-and-code', 'too many requests'],
  ])('the screen %s of %s is accessible, and hostile text stays text', async (path, reader, text) => {
    const key = reader === 'member' ? pages.memberKey : pages.keyOf(reader)
    const { page, faults } = await pages.openTeamPage(path, key)
    await page.waitForSelector('[aria-label="From the organisers"]')
    await ready(page, text)
    if (path === '/log') await page.waitForSelector('.entry-row')
    expect(await page.$$eval('main img, main script', all => all.length)).toBe(0)
    expect([...(await findFaults(page)), ...faults]).toEqual([])
    await page.close()
  })
})
