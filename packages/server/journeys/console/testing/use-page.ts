// Finds and uses the parts of a page by their visible text or name.
import type { ElementHandle, KeyInput, Page } from 'puppeteer-core'

/** Polls every 100 ms. Puppeteer's default is every drawn frame, and a page in the background draws none. */
export const looking = { polling: 100 }

export const ready = (page: Page, text: string) =>
  page.waitForFunction((wanted: string) => document.body?.textContent?.includes(wanted), looking, text)

export const gone = (page: Page, selector: string) =>
  page.waitForFunction((wanted: string) => document.querySelector(wanted) === null, looking, selector)

export const says = (page: Page, selector: string, text: string) =>
  page.waitForFunction(
    (where: string, wanted: string) => document.querySelector(where)?.textContent?.includes(wanted),
    looking,
    selector,
    text,
  )

export const saysNoMore = (page: Page, selector: string, text: string) =>
  page.waitForFunction(
    (where: string, wanted: string) => !document.querySelector(where)?.textContent?.includes(wanted),
    looking,
    selector,
    text,
  )

/** Waits until the field with this label has the focus. */
export const holdsFocus = (page: Page, label: string) =>
  page.waitForFunction(
    (wanted: string) => {
      const id = document.activeElement?.getAttribute('id')
      const label = document.querySelector(`label[for="${id}"]`)?.textContent ?? ''
      return label.replace(/\s\*$/, '') === wanted
    },
    looking,
    label,
  )

export const textOf = (page: Page, selector: string) =>
  page.$eval(selector, ({ textContent }) => textContent?.replaceAll(/\s+/g, ' ') ?? '')

/** Waits for this path and search. */
export const at = (page: Page, path: string) =>
  page.waitForFunction((wanted: string) => location.pathname + location.search === wanted, looking, path)

export const whenSearch = (page: Page, text: string) =>
  page.waitForFunction((wanted: string) => location.search.includes(wanted), looking, text)

export const whenPath = (page: Page, path: string) =>
  page.waitForFunction((wanted: string) => location.pathname === wanted, looking, path)

/** Waits for an element with this name. Elements of a dialog come first. */
export async function find(page: Page, name: string, selector: string): Promise<ElementHandle> {
  const found = await page.waitForFunction(
    (wanted: string, where: string) => {
      const all = [`[role=dialog] :is(${where})`, where].flatMap(each => [...document.querySelectorAll(each)])
      return all.find(element => {
        const id = element.getAttribute('id')
        const label = id === null ? null : document.querySelector(`label[for="${id}"]`)
        const text = element.getAttribute('aria-label') ?? label?.textContent ?? element.textContent ?? ''
        return text.replace(/ \*$/, '').trim() === wanted
      })
    },
    looking,
    name,
    selector,
  )
  return found.asElement() as ElementHandle
}

export async function press(page: Page, name: string, selector = 'button:not(:disabled)'): Promise<void> {
  await clickStill(page, await find(page, name, selector))
}

/** A click goes to a position on the page, so content loading above and opening sheets must not move its target. */
export async function clickStill(page: Page, found: ElementHandle): Promise<void> {
  await gone(page, '[aria-busy=true]')
  await found.evaluate(async element => {
    const place = () => JSON.stringify((element as unknown as BrowserElement).getBoundingClientRect())
    for (let before = ''; before !== place(); ) {
      before = place()
      await new Promise(done => requestAnimationFrame(done))
    }
  })
  await found.click()
}

/**
 * Types a sequence of two keys that leads to an address with this part. The page forgets the first key after 1.2 s, and a busy machine can
 * take longer for the second, so it is typed again until the page is there.
 */
export async function pressSequence(
  page: Page,
  keys: readonly [KeyInput, KeyInput],
  part: string,
): Promise<void> {
  while (!page.url().includes(part)) {
    await Promise.all(keys.map(key => page.keyboard.press(key)))
    for (let looks = 0; looks < 50 && !page.url().includes(part); looks += 1) await Bun.sleep(100)
  }
}

export async function fill(page: Page, label: string, text: string): Promise<void> {
  const field = await find(page, label, 'input, textarea')
  await field.click({ count: 3 })
  await page.keyboard.down('Control')
  await page.keyboard.press('a')
  await page.keyboard.up('Control')
  await page.keyboard.press('Backspace')
  if (text !== '') await field.type(text)
}

/** Presses the dialog's button once its form is valid, and waits until the dialog has closed. */
export async function confirm(page: Page): Promise<void> {
  await page.waitForSelector('[data-confirm]:not([disabled])')
  await page.click('[data-confirm]')
  await gone(page, '[data-confirm]')
}

export const rowsOf = (page: Page) =>
  page.$$eval('tr[data-row]', rows => rows.map(row => row.getAttribute('data-row') ?? ''))
