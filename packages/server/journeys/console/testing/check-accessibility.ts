// Runs axe on the current page and returns its accessibility faults.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'puppeteer-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Serious and critical findings by WCAG 2.2 AA, and landmarks without distinct names, as `rule: element`. */
export async function findBarriers(page: Page): Promise<string[]> {
  // Injected through the debugger, which the page's content policy does not block; once per document.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe)
  return await page.evaluate(async () => {
    type Found = {
      id: string
      impact: string | null
      nodes: { target: unknown[]; failureSummary?: string }[]
    }
    const { axe: checker } = globalThis as unknown as {
      axe: { run: (options: object) => Promise<{ violations: Found[] }> }
    }
    const { violations } = await checker.run({
      // The others are not reported, so axe need not collect them: a quarter less work.
      resultTypes: ['violations'],
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    })
    return violations
      .filter(({ id, impact }) => impact === 'serious' || impact === 'critical' || id.startsWith('landmark-'))
      .flatMap(({ id, nodes }) =>
        nodes.map(
          ({ target, failureSummary = '' }) =>
            `${id}: ${target.join(' ')} ${failureSummary.replaceAll('\n', ' ')}`,
        ),
      )
  })
}
