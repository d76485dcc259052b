// Checks one screen for barriers, hostile text that became markup, and content wider than the window.
import type { Page } from 'puppeteer-core'
import { findBarriers } from './check-accessibility.ts'
import { setScheme } from './open-browser.ts'

/** Together they cover both themes and both layouts. */
const views = [
  { scheme: 'light', width: 1440 },
  { scheme: 'dark', width: 360 },
] as const

/** Checks each view without reloading the page, then restores the first. Returns an empty list if nothing is wrong. */
export async function findFaults(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const view of views) {
    await show(page, view)
    const seen = await page.evaluate(() => ({
      tooWide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      harmful: document.querySelectorAll(
        'img[src=x], [onerror], a[href^="javascript:"], a[href*="evil.example"]',
      ).length,
      title: document.title,
    }))
    if (seen.tooWide > 0) found.push(`${view.width}: ${seen.tooWide} px too wide`)
    if (seen.harmful > 0) found.push(`${view.width}: ${seen.harmful} elements made of hostile text`)
    if (seen.title === 'owned') found.push('a script in hostile text was run')
    found.push(...(await findBarriers(page)).map(barrier => `${view.scheme} ${view.width}: ${barrier}`))
  }
  await show(page, views[0])
  return found
}

async function show(page: Page, { scheme, width }: (typeof views)[number]): Promise<void> {
  await page.setViewport({ width, height: 900 })
  await setScheme(page, scheme)
  // The frame after the next one has the new width and theme. Colour transitions then still run, and axe would measure a colour in between.
  await page.evaluate(async () => {
    await new Promise<void>(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))
    const passing = document.getAnimations().filter(each => each.constructor.name === 'CSSTransition')
    await Promise.allSettled(passing.map(({ finished }) => finished))
  })
}
