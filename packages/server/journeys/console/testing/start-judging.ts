// A dealt panel of two judges on the seeded event, and their pages as claim links open them.
import type { JudgeCodesReply } from '@fairgate/contracts/judging/codes.ts'
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import type { BrowserContext } from 'puppeteer-core'
import type { OpenedPage } from './open-browser.ts'
import { startPages, type TestPages } from './start-pages.ts'

export type JudgingPages = TestPages & {
  /** Opens a page of a judge. Pages of one device share cookies and storage. */
  readonly openJudge: (
    judge: 'Ada' | 'Ben',
    path: string,
    options?: { readonly device?: string; readonly width?: number; readonly scheme?: 'light' | 'dark' },
  ) => Promise<OpenedPage>
  /** Sends a request with the session of a judge. */
  readonly asJudge: <Reply>(
    judge: 'Ada' | 'Ben',
    method: string,
    path: string,
    body?: object,
  ) => Promise<Reply>
  /** For typing by hand. */
  readonly codeOf: (judge: 'Ada' | 'Ben') => string
  /** Replaces members of the set-up. */
  readonly changeSetup: (changes: Partial<JudgingSetup>) => Promise<void>
}

const setup: JudgingSetup = {
  criteria: [
    {
      id: 'direction',
      name: 'Direction',
      help: 'Clear goals, good questions, small steps',
      weight: 2,
      max: 5,
      anchors: [
        { score: 0, text: 'One long prompt, then hope' },
        { score: 3, text: 'States goals, and corrects what comes back' },
        { score: 5, text: 'Plans first, then one step at a time' },
      ],
    },
    { id: 'checking', name: 'Checking', help: 'Reads, tests and corrects what came back', weight: 1, max: 5 },
    { id: 'cost', name: 'Cost in mind', help: 'The right model and tool for the job', weight: 1, max: 100 },
  ],
  gates: [{ id: 'own', name: 'Own work', help: 'Written during the contest' }],
  ranking: 'mean',
  ties: [{ by: 'order' }, { by: 'head_judge' }],
  judges_per_team: 2,
  minutes_per_team: 10,
  minutes_per_judge: 120,
  seed: '4 2 6 1',
}

export async function startJudging(): Promise<JudgingPages> {
  const pages = await startPages()
  const { manage, adminUrl } = pages.fairgate
  const putSetup = async (next: JudgingSetup) => {
    const reply = await manage.call('PUT', '/judging/setup', { setup: next })
    if (!reply.ok) throw new Error(await reply.text())
  }
  await putSetup(setup)
  await manage.post('/judging/judges', { judges: [{ name: 'Ada' }, { name: 'Ben' }] })
  await manage.post('/judging/deal', {})
  const { items: links } = await manage.post<JudgeCodesReply>('/judging/codes', { judges: 'all' })
  const codeOf = (judge: string) => links.find(({ name }) => name === judge)?.code ?? ''
  const cookies = new Map<string, Promise<string>>()
  const enter = async (judge: string): Promise<string> => {
    const reply = await fetch(`${adminUrl}/judging/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: codeOf(judge) }),
    })
    const [cookie = ''] = (reply.headers.get('set-cookie') ?? '').split(';')
    if (cookie === '') throw new Error(`Signing in failed: ${await reply.text()}`)
    return cookie
  }
  const contexts = new Map<string, Promise<BrowserContext>>()
  const createContext = async (judge: string): Promise<BrowserContext> => {
    const context = await pages.browser.createContext()
    const [name = '', value = ''] = (await enter(judge)).split('=')
    const domain = new URL(adminUrl).hostname
    await context.setCookie({ name, value, domain, path: '/', httpOnly: true, sameSite: 'Strict' })
    return context
  }
  return {
    ...pages,
    codeOf,
    openJudge: async (judge, path, { device = 'laptop', ...options } = {}) => {
      const key = `${judge} ${device}`
      const context = contexts.get(key) ?? createContext(judge)
      contexts.set(key, context)
      const opened = await pages.browser.open({ ...options, context: await context })
      await opened.page.goto(adminUrl + path)
      return opened
    },
    asJudge: async (judge, method, path, body) => {
      const cookie = cookies.get(judge) ?? enter(judge)
      cookies.set(judge, cookie)
      const reply = await fetch(adminUrl + path, {
        method,
        headers: {
          cookie: await cookie,
          'content-type': 'application/json',
          'sec-fetch-site': 'same-origin',
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await reply.text()
      if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${text}`)
      return JSON.parse(text)
    },
    changeSetup: async changes => {
      await putSetup({ ...setup, ...changes })
    },
  }
}
