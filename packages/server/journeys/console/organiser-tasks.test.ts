// suite: full on sqlite; 70 s
// The tasks of an organiser's day, from the overview to the result. Only this file notices that a task takes more than six clicks. Prints a
// table with the clicks and seconds of each; a field that is not focused by itself counts as a click.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'puppeteer-core'
import { findChromium } from './testing/find-chromium.ts'
import { startPages, type TestPages } from './testing/start-pages.ts'
import { fill, find, gone, looking, press, ready, says, whenPath } from './testing/use-page.ts'

const maxClicks = 6

/** Uses a page like a person with mouse and keyboard, and counts the clicks. */
function createHand(page: Page) {
  let clicks = 0
  const click = async (selector: string) => {
    await page.waitForSelector(selector)
    await gone(page, '[aria-busy=true]')
    // A list that has just loaded is rendered again, so the locator looks for its row again.
    await page.locator(selector).click()
    clicks += 1
  }
  return {
    page,
    clicks: () => clicks,
    click,
    press: async (name: string, selector?: string) => {
      await press(page, name, selector)
      clicks += 1
    },
    /** Opens a navigation link. */
    go: async (name: string, path: string) => {
      await press(page, name, '.frame-nav a')
      clicks += 1
      await whenPath(page, path)
    },
    /** Opens the menu of a table's only row and picks an item. */
    choose: async (table: string, item: string) => {
      await click(`${table} [aria-haspopup=menu]`)
      await press(page, item, '[role=menuitem]')
      clicks += 1
    },
    fill: async (label: string, text: string) => {
      const field = await find(page, label, 'input, textarea')
      if (!(await field.evaluate(element => element === document.activeElement))) clicks += 1
      await fill(page, label, text)
    },
    confirm: async () => {
      await click('[data-confirm]:not([disabled])')
      await gone(page, '[data-confirm]')
    },
    /** Uses the palette, which needs no click. */
    jumpTo: async (text: string, path: string) => {
      await page.keyboard.down('Control')
      await page.keyboard.press('k')
      await page.keyboard.up('Control')
      await page.waitForSelector('[role=dialog] input')
      await page.type('[role=dialog] input', text)
      await page.waitForFunction(
        (wanted: string) => document.querySelector('[role=option]')?.textContent?.includes(wanted),
        looking,
        text,
      )
      await page.keyboard.press('Enter')
      await whenPath(page, path)
    },
  }
}

type Hand = ReturnType<typeof createHand>

const tasks: Readonly<Record<string, (hand: Hand, pages: TestPages) => Promise<unknown>>> = {
  'Find out why calls are refused': async hand => {
    await hand.press('View calls', 'a')
    await whenPath(hand.page, '/console/calls')
    await ready(hand.page, 'budget_exceeded')
    await hand.click('tr[data-row]')
    await says(hand.page, '[role=dialog]', 'No such model')
  },
  'Raise the limit that refused a call': async hand => {
    await hand.press('View calls', 'a')
    await whenPath(hand.page, '/console/calls')
    await hand.click('tr[data-row]:has([href*=cedar-and-code])')
    await hand.press('Raise this limit…')
    await hand.fill('Requests per minute', '60')
    await hand.fill('Reason', 'It was too low')
    await hand.confirm()
  },
  'Find the team of a participant': hand => hand.jumpTo('Null One', '/console/teams/null-pointers/people'),
  'Give a team $10 more': async hand => {
    await hand.jumpTo('Tidal Lock', '/console/teams/tidal-lock')
    await hand.press('Grant…')
    await hand.fill('Amount', '10')
    await hand.fill('Reason', 'A provider was slow')
    await hand.confirm()
  },
  'Give all teams $5 more': async hand => {
    await hand.go('Teams', '/console/teams')
    await hand.click('input[aria-label^="Select all"]')
    await hand.press('Grant…')
    await hand.fill('Amount per team', '5')
    await hand.fill('Reason', 'A provider was slow')
    await hand.confirm()
  },
  'Block a key': async hand => {
    await hand.jumpTo('Ginger One', '/console/teams/ginger-root/people')
    await hand.choose('[data-part=keys]', 'Block…')
    await hand.fill('Reason', 'It was published')
    await hand.confirm()
  },
  'Replace the secret of a key': async hand => {
    await hand.jumpTo('Night One', '/console/teams/night-ferry/people')
    await hand.choose('[data-part=keys]', 'Replace secret…')
    await hand.fill('Reason', 'It was published')
    await hand.confirm()
    await hand.page.waitForSelector('[data-secret]')
  },
  'Make a team': async hand => {
    await hand.go('Teams', '/console/teams')
    await hand.press('New team')
    await hand.fill('Name', 'Late Arrival')
    await hand.fill('Budget', '25')
    await hand.press('Create team')
    await whenPath(hand.page, '/console/teams/late-arrival/people')
  },
  'Add a person to a team': async hand => {
    await hand.jumpTo('Paper One', '/console/teams/paper-cranes/people')
    await hand.press('Add a person')
    await hand.fill('Name', 'Paper Two')
    await hand.confirm()
    await says(hand.page, '[data-part=people]', 'Paper Two')
  },
  'Make the sheets of all teams': async (hand, { event }) => {
    await hand.go('Teams', '/console/teams')
    await hand.press('Handouts', 'a')
    await hand.press(`Create ${event.teams.length} sheets…`)
    await hand.fill('Reason', 'The first morning')
    await hand.confirm()
    await hand.page.waitForSelector('.sheet')
  },
  'Pause the event': async hand => {
    await hand.press('Pause all')
    await hand.fill('Reason', 'A fire alarm')
    await hand.confirm()
  },
  'Resume the event': async hand => {
    await hand.go('Event', '/console/event')
    await hand.click('.event-action')
    await hand.fill('Reason', 'A false alarm')
    await hand.confirm()
  },
  'Extend the contest by 15 minutes': async hand => {
    await hand.press('Extend')
    await hand.fill('Reason', 'A fire alarm')
    await hand.confirm()
  },
  'Announce something to all teams': async hand => {
    await hand.press('Announce')
    await hand.fill('Message to teams', 'Lunch is ready.')
    await hand.confirm()
  },
  'Answer a question': async (hand, { fairgate, event }) => {
    const asked = await fetch(`${fairgate.gatewayUrl}/self/questions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${event.logged.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'May we use pens?' }),
    })
    expect(asked.ok).toBe(true)
    await hand.go('Messages', '/console/messages')
    await ready(hand.page, 'May we use pens?')
    await hand.fill('Answer to Kimchi Kernel', 'Yes.')
    await hand.click('form button[type=submit]')
    await ready(hand.page, 'No questions are waiting for an answer')
  },
  'Refund a call': async hand => {
    await hand.jumpTo('Kimchi Kernel', '/console/teams/kimchi-kernel')
    await hand.press('Calls ↗', 'a')
    await whenPath(hand.page, '/console/calls')
    await hand.click('tr[data-row]:has(.badge[data-tone=ok])')
    await hand.press('Refund…')
    await hand.fill('Reason', 'The answer was cut')
    await hand.confirm()
  },
  'Search the logs of all teams': async hand => {
    await hand.go('Search the logs', '/console/search')
    await hand.fill('Search text', 'scheduler')
    await hand.page.keyboard.press('Enter')
    await ready(hand.page, 'The scheduler starves low priority jobs.')
  },
  'Read what a team did in a session': async hand => {
    await hand.go('Sessions', '/console/sessions')
    await hand.click('tr[data-row]')
    await hand.page.waitForSelector('.talk-entry[data-kind=prompt]')
  },
  "Lock a team's board": async hand => {
    await hand.jumpTo('Cedar', '/console/teams/cedar-and-code')
    await hand.press('Lock board')
    await hand.fill('Reason', 'It handed in')
    await hand.confirm()
  },
  'Change the price of a model': async hand => {
    await hand.go('Models & upstreams', '/console/models')
    await hand.click('tr[data-row="mm-2.5-flash"]')
    await hand.press('Edit…')
    await hand.fill('input', '0.25')
    await hand.fill('Reason', 'The contract changed')
    await hand.confirm()
  },
  'Take the spend away as a CSV file': async hand => {
    await hand.go('Spend', '/console/spend')
    const link = await find(hand.page, 'CSV', 'a')
    const address = await link.evaluate(element => element.getAttribute('href'))
    const reply = await hand.page.evaluate(async path => (await fetch(path ?? '')).text(), address)
    expect(reply).toContain('kimchi-kernel')
    await hand.press('CSV', 'a')
  },
  'Find out who paused the event, and why': async hand => {
    await hand.go('Audit', '/console/audit')
    await ready(hand.page, 'A fire alarm')
  },
}

describe.skipIf(findChromium() === null)("an organiser's tasks", () => {
  let pages: TestPages
  const rows: string[] = []

  beforeAll(async () => {
    // Its own file, because the shipped one is never written.
    const models = readFileSync(join(import.meta.dir, '../../../../config/models.yaml'), 'utf8')
    pages = await startPages({ models })
  })
  afterAll(async () => {
    console.log(['| task | clicks | seconds |', '| --- | --- | --- |', ...rows].join('\n'))
    await pages.stop()
  })

  for (const [name, perform] of Object.entries(tasks)) {
    test(name, async () => {
      const { page, faults } = await pages.openConsole('/console')
      await ready(page, 'Needs attention')
      const hand = createHand(page)
      const startedAt = performance.now()
      await perform(hand, pages)
      rows.push(`| ${name} | ${hand.clicks()} | ${((performance.now() - startedAt) / 1000).toFixed(1)} |`)
      expect(hand.clicks()).toBeLessThanOrEqual(maxClicks)
      expect(faults).toEqual([])
      await page.close()
    })
  }
})
