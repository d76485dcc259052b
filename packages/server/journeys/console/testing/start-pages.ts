import type { BrowserContext } from 'puppeteer-core'
import { adminKey, type Fairgate, startFairgate } from '../../testing/start-fairgate.ts'
import { type OpenedPage, openBrowser, type TestBrowser } from './open-browser.ts'
import { type SeededEvent, seedEvent } from './seed-event.ts'

type PageOptions = Omit<NonNullable<Parameters<TestBrowser['open']>[0]>, 'context' | 'isApart'>

export type TestPages = {
  readonly fairgate: Fairgate
  readonly event: SeededEvent
  readonly browser: TestBrowser
  /** Opens a console screen. All pages of one admin key share cookies, storage and cache. */
  readonly openConsole: (
    path: string,
    options?: PageOptions & { readonly key?: string },
  ) => Promise<OpenedPage>
  /** Opens a screen of the team page. All pages of one gateway key share cookies, storage and cache. */
  readonly openTeamPage: (path: string, key: string, options?: PageOptions) => Promise<OpenedPage>
  readonly stop: () => Promise<void>
}

export async function startPages(options: Parameters<typeof startFairgate>[0] = {}): Promise<TestPages> {
  const fairgate = await startFairgate(options)
  const event = await seedEvent(fairgate)
  const browser = await openBrowser()
  const contexts = new Map<string, Promise<BrowserContext>>()
  const open = async (origin: string, session: string, path: string, key: string, options?: PageOptions) => {
    const context = contexts.get(key) ?? signIn(browser, origin + session, key)
    contexts.set(key, context)
    const opened = await browser.open({ ...options, context: await context })
    await opened.page.goto(origin + path)
    return opened
  }
  return {
    fairgate,
    event,
    browser,
    openConsole: (path, { key = adminKey, ...options } = {}) =>
      open(fairgate.adminUrl, '/session', path, key, options),
    openTeamPage: (path, key, options) => open(fairgate.gatewayUrl, '/self/session', path, key, options),
    stop: async () => {
      await browser.close()
      await fairgate.stop()
    },
  }
}

/** Sends what the sign-in form sends, and stores its cookie in a new context. */
async function signIn(browser: TestBrowser, url: string, key: string): Promise<BrowserContext> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key }),
  })
  const [, name, value] = /^(\w+)=([^;]+)/.exec(reply.headers.get('set-cookie') ?? '') ?? []
  if (name === undefined || value === undefined) throw new Error(`Signing in failed: ${await reply.text()}`)
  const context = await browser.createContext()
  const domain = new URL(url).hostname
  await context.setCookie({ name, value, domain, path: '/', httpOnly: true, sameSite: 'Strict' })
  return context
}
