// The store with a browser's storage and a server that can be away: what is kept, sent and forgotten.
import { expect, test } from 'bun:test'
import type { JudgementReply, SaveJudgementBody } from '@fairgate/contracts/judging/scores.ts'
import { RequestFailure, type SendRequest } from '../../api/request.ts'
import { changeScore } from './judgement.ts'
import { JudgementStore } from './judgement-store.ts'
import { KeptDrafts, type Storage } from './kept-drafts.ts'

class Memory implements Storage {
  readonly items = new Map<string, string>()
  isFull = false
  get length() {
    return this.items.size
  }
  key = (index: number) => [...this.items.keys()][index] ?? null
  getItem = (key: string) => this.items.get(key) ?? null
  removeItem = (key: string) => void this.items.delete(key)
  setItem = (key: string, value: string) => {
    if (this.isFull) throw new DOMException('full', 'QuotaExceededError')
    this.items.set(key, value)
  }
}

class Server {
  isAway = false
  readonly requests: string[] = []
  readonly own = new Map<string, JudgementReply['own']>()

  readonly send = (async (method: string, path: string, { body }: { body?: unknown } = {}) => {
    const [, , , team = '', verb] = path.split('/')
    this.requests.push(`${method} ${team}${verb === undefined ? '' : ` ${verb}`}`)
    if (this.isAway) throw new RequestFailure({ status: 0, code: 'no_connection', message: 'No connection' })
    const own = this.own.get(team) ?? {
      scores: {},
      revision: 0,
      state: 'begun' as const,
      saved_at: null,
      device: null,
      paper: false,
      reason: null,
    }
    const { revision, device = null, ...content } = (body ?? {}) as Partial<SaveJudgementBody>
    if (method !== 'GET' && revision !== own.revision)
      throw new RequestFailure({ status: 409, code: 'conflict', message: 'Outdated' })
    const at = '2026-11-28T10:00:00.000Z'
    if (method === 'PUT')
      this.own.set(team, { ...own, ...content, revision: own.revision + 1, device, saved_at: at })
    if (verb === 'done') this.own.set(team, { ...own, state: 'done', revision: own.revision + 1 })
    return { team, own: this.own.get(team) ?? own, others: null, as_of: at }
  }) as unknown as SendRequest
}

/** A page of the judge `mira` in a browser; its timers run when the test says so. */
function openPage(
  storage: Memory,
  server: Server,
  { device = 'one', judgeId = 'mira', isStillSignedIn = (): boolean => true } = {},
) {
  const timers = new Set<() => void>()
  const store = new JudgementStore({
    send: server.send,
    drafts: new KeptDrafts({ storage, judgeId, device }),
    device,
    after: (_, run) => {
      timers.add(run)
      return () => timers.delete(run)
    },
    isStillSignedIn,
    onChanged: () => undefined,
  })
  const rest = async () => {
    for (let round = 0; round < 20; round += 1) await Promise.resolve()
  }
  return {
    store,
    rest,
    pass: async () => {
      const due = [...timers]
      timers.clear()
      for (const run of due) run()
      await rest()
    },
    write: (team: string, why: string) => store.edit(team, now => changeScore(now, 'direction', { why })),
    open: async (team: string) => {
      store.open(team)
      await rest()
    },
  }
}

const whyOf = (server: Server, team: string) => server.own.get(team)?.scores.direction?.why

test('edits are saved after a pause in typing, and leave the browser with the reply', async () => {
  const [storage, server] = [new Memory(), new Server()]
  const page = openPage(storage, server)
  await page.open('17')
  page.write('17', 'Pl')
  page.write('17', 'Plans')
  expect(storage.items.size).toBe(1)
  expect(server.requests).toEqual(['GET 17'])
  await page.pass()
  expect(server.requests).toEqual(['GET 17', 'PUT 17'])
  expect(whyOf(server, '17')).toBe('Plans')
  expect(storage.items.size).toBe(0)
})

test('a text without a connection outlives the page, and the next page sends it, whichever team is shown', async () => {
  const [storage, server] = [new Memory(), new Server()]
  const page = openPage(storage, server)
  await page.open('team 17 & more')
  server.isAway = true
  page.write('team 17 & more', 'Plans')
  await page.pass()
  expect(page.store.find('team 17 & more')?.behind.trouble?.kind).toBe('offline')
  const next = openPage(storage, server, { device: 'two' })
  next.store.resume()
  await next.rest()
  server.isAway = false
  await next.pass()
  await next.pass()
  expect(server.own.get('team%2017%20%26%20more')?.scores.direction?.why).toBe('Plans')
  expect(storage.items.size).toBe(0)
})

test('a connection that is back finishes what the judge has finished without it', async () => {
  const [storage, server] = [new Memory(), new Server()]
  const page = openPage(storage, server)
  await page.open('17')
  server.isAway = true
  page.write('17', 'Plans')
  page.store.finish('17')
  await page.rest()
  server.isAway = false
  page.store.wake()
  await page.rest()
  expect(server.own.get('17')?.state).toBe('done')
  expect(whyOf(server, '17')).toBe('Plans')
  expect(storage.items.size).toBe(0)
})

test('what the stream reports is read, unless it is the save of this page', async () => {
  const [storage, server] = [new Memory(), new Server()]
  const [page, other] = [openPage(storage, server), openPage(storage, server, { device: 'two' })]
  await page.open('17')
  await other.open('17')
  other.write('17', 'Written there')
  await other.pass()
  page.store.hear({ team: '17', revision: 1, device: 'two' })
  await page.rest()
  expect(page.store.find('17')?.behind.written.scores.direction?.why).toBe('Written there')
  const read = server.requests.length
  page.store.hear({ team: '17', revision: 1, device: 'two' })
  page.store.hear({ team: '41', revision: 1, device: 'two' })
  await page.rest()
  expect(server.requests.length).toBe(read)
})

test('texts of one judge are never sent for another, and stay for the first', async () => {
  const [storage, server] = [new Memory(), new Server()]
  let isMira = true
  const page = openPage(storage, server, { isStillSignedIn: () => isMira })
  await page.open('17')
  isMira = false
  page.write('17', 'By Mira')
  await page.pass()
  const other = openPage(storage, server, { judgeId: 'tom', device: 'two' })
  other.store.resume()
  await other.open('17')
  await other.pass()
  expect(server.requests.filter(request => request.startsWith('PUT'))).toEqual([])
  expect(storage.items.size).toBe(1)
})

test('a browser without room still saves, and says that closing the page would lose text', async () => {
  const [storage, server] = [new Memory(), new Server()]
  const page = openPage(storage, server)
  await page.open('17')
  storage.isFull = true
  server.isAway = true
  page.write('17', 'Plans')
  expect(page.store.isAtRisk()).toBe(true)
  server.isAway = false
  await page.pass()
  expect(whyOf(server, '17')).toBe('Plans')
  expect(page.store.isAtRisk()).toBe(false)
})
