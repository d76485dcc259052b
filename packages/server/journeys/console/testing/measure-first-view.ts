// Measures what a browser loads before a page shows anything.
import type { OpenedPage } from './open-browser.ts'

/** Bytes of scripts and of styles, as sent. Closes the page. */
export async function measureFirstView(
  { page }: OpenedPage,
  frame: string,
): Promise<{ readonly script: number; readonly style: number }> {
  await page.waitForSelector(frame)
  const bytes = await page.evaluate(() => {
    const loaded = performance.getEntriesByType('resource') as unknown as {
      name: string
      encodedBodySize: number
    }[]
    const sum = (ending: string) =>
      loaded
        .filter(({ name }) => name.endsWith(ending))
        .reduce((total, { encodedBodySize }) => total + encodedBodySize, 0)
    return { script: sum('.js'), style: sum('.css') }
  })
  await page.close()
  return bytes
}
