// A real Chromium with a fresh profile, and pages in it that report everything that a policy or script finds wrong.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer-core'
import { findChromium } from './find-chromium.ts'

export type OpenedPage = {
  readonly page: Page
  /** Errors of scripts, reports of the policy, and requests to other hosts; empty when all is well. */
  readonly faults: readonly string[]
}

export type TestBrowser = {
  readonly open: (options?: {
    readonly width?: number
    readonly height?: number
    readonly scheme?: 'light' | 'dark'
    /** Has its own cookies. */
    readonly isApart?: boolean
    /** Among the pages that share this context's cookies, storage and cache. */
    readonly context?: BrowserContext
  }) => Promise<OpenedPage>
  /** Shared by the pages of one reader. Another page in it takes a third of the processor time of an isolated one. */
  readonly createContext: () => Promise<BrowserContext>
  readonly close: () => Promise<void>
}

export async function openBrowser(): Promise<TestBrowser> {
  const profile = mkdtempSync(join(tmpdir(), 'fairgate-chromium-'))
  const browser: Browser = await puppeteer.launch({
    executablePath: findChromium() ?? '',
    userDataDir: profile,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--no-first-run',
      '--disable-dev-shm-usage',
    ],
  })
  return {
    createContext: () => browser.createBrowserContext(),
    open: async ({ width = 1440, height = 900, scheme = 'light', isApart = false, context } = {}) => {
      const apart = isApart ? await browser.createBrowserContext() : null
      const page = await (context ?? apart ?? browser.defaultBrowserContext()).newPage()
      // Ends a wait that hangs, and shows which one. No machine needs this long.
      page.setDefaultTimeout(Number(process.env.F_WAIT ?? 100_000))
      await page.setViewport({ width, height, isMobile: width < 768, hasTouch: width < 768 })
      await setScheme(page, scheme)
      const faults: string[] = []
      page.on('pageerror', error => faults.push(`error: ${error instanceof Error ? error.message : error}`))
      page.on('console', message => {
        // Refusals of the server are shown to the reader; the browser's own console line about them is not a fault of the page.
        if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
          faults.push(`console: ${message.text()}`)
      })
      page.on('request', request => {
        const { hostname, protocol } = new URL(request.url())
        if (protocol.startsWith('http') && hostname !== '127.0.0.1') faults.push(`request to ${hostname}`)
      })
      await page.evaluateOnNewDocument(() => {
        addEventListener('securitypolicyviolation', event => {
          const { violatedDirective, blockedURI, sample } = event as unknown as Record<string, string>
          console.error(`policy: ${violatedDirective} ${blockedURI} ${sample}`)
        })
      })
      return { page, faults }
    },
    close: async () => {
      await browser.close()
      rmSync(profile, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** Emulates the system's colour scheme. Open pages follow it. */
export async function setScheme(page: Page, scheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: scheme },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ])
}
