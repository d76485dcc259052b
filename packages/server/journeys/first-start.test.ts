// suite: 10 s
// A newcomer's first minute: start without configuration, and paste what the server prints.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type SpawnedFairgate, spawnFairgate } from './testing/spawn-fairgate.ts'

let folder: string
let fairgate: SpawnedFairgate

const variables = (data: string) => ({
  FAIRGATE_DATA_DIR: data,
  FAIRGATE_GATEWAY_PORT: '0',
  FAIRGATE_LOGBOOK_PORT: '0',
  FAIRGATE_ADMIN_PORT: '0',
})

/** Lines that were printed completely. */
const readCommands = (): string[] => fairgate.output().match(/^curl .*(?=\n)/gm) ?? []

/** Runs it as a person would: in a shell, exactly as printed. */
async function paste(command: string | undefined): Promise<string> {
  const child = Bun.spawn(['sh', '-c', command ?? 'exit 1'], { stdout: 'pipe', stderr: 'inherit' })
  const text = await new Response(child.stdout).text()
  expect(await child.exited).toBe(0)
  return text
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fairgate-first-start-'))
  fairgate = await spawnFairgate({ variables: variables(join(folder, 'data')), throughLauncher: true })
})
afterAll(async () => {
  fairgate.kill('SIGTERM')
  expect(await fairgate.exited).toBe(0)
  rmSync(folder, { recursive: true, force: true })
})

test('the first line is for people', () => {
  expect(fairgate.output()).toStartWith('Fairgate is ready.\n')
})

test('three commands are printed, work as printed, and answer in a few lines', async () => {
  // They come after the line that says that the server is ready.
  while (readCommands().length < 3) await Bun.sleep(10)
  const commands = readCommands()
  expect(commands).toHaveLength(3)
  const [chat, ingest, entries] = commands
  expect(JSON.parse(await paste(chat))).toMatchObject({ object: 'chat.completion', model: 'mm-2.5-flash' })
  expect(JSON.parse(await paste(ingest))).toMatchObject({
    received: 1,
    stored: 1,
    rejected: [],
    warnings: [],
  })
  const stored = await paste(entries)
  expect(JSON.parse(stored)).toMatchObject({ items: [{ tool: 'demo', prompt: 'Say hello.' }] })
  expect(stored.length).toBeLessThan(1000)
})

/** The link of this name in the last lines of the start text. */
async function readLink(name: string): Promise<URL> {
  await fairgate.printed(`  ${name}`)
  for (;;) {
    const found = new RegExp(`^  ${name} +(\\S+)\n`, 'm').exec(fairgate.output())?.[1]
    if (found !== undefined) return new URL(found)
    await Bun.sleep(10)
  }
}

const signIn = (url: string, once: string) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ once }),
  })

test("the last lines are two links that sign in once: to the console and to the demo team's page", async () => {
  const ticketOf = ({ hash }: URL) => new URLSearchParams(hash.slice(1)).get('once') ?? ''
  const consoleUrl = await readLink('console')
  expect(consoleUrl.href).toStartWith(`${fairgate.adminUrl}/console/sign-in#once=once_`)
  const organiser = await signIn(`${fairgate.adminUrl}/session`, ticketOf(consoleUrl))
  expect(await organiser.json()).toMatchObject({ name: 'admin', role: 'organiser' })
  const cookie = organiser.headers.get('set-cookie')?.split(';')[0] ?? ''
  expect((await fetch(`${fairgate.adminUrl}/team/list`, { headers: { cookie } })).status).toBe(200)
  const teamUrl = await readLink('team page')
  expect(teamUrl.href).toStartWith(`${fairgate.gatewayUrl}/sign-in#once=once_`)
  const member = await signIn(`${fairgate.gatewayUrl}/self/session`, ticketOf(teamUrl))
  expect(await member.json()).toMatchObject({ team_id: 'demo' })
  // Neither works a second time.
  expect((await signIn(`${fairgate.adminUrl}/session`, ticketOf(consoleUrl))).status).toBe(401)
  expect((await signIn(`${fairgate.gatewayUrl}/self/session`, ticketOf(teamUrl))).status).toBe(401)
  expect(fairgate.output()).toMatch(/\n {2}console .*\n {2}team page .*\n\n/)
})

test('the admin key file is private to its owner, and the key opens the admin door', async () => {
  const path = join(folder, 'data', 'admin-key')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const key = readFileSync(path, 'utf8').trim()
  await fairgate.printed(`  ${key}\n`)
  const teams = await fetch(`${fairgate.adminUrl}/team/list`, { headers: { authorization: `Bearer ${key}` } })
  expect(((await teams.json()) as { team_id: string }[]).map(team => team.team_id)).toEqual(['demo'])
})

// Before, the demo team got grants and handouts, and was on the wall and in every count and forecast.
test('the demo team is ignored once there is another team', async () => {
  const key = readFileSync(join(folder, 'data', 'admin-key'), 'utf8').trim()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const ask = async (path: string, body?: object): Promise<unknown> => {
    const sent = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
    return await (await fetch(`${fairgate.adminUrl}${path}`, sent)).json()
  }
  await ask('/team/new', { team_id: 'red', max_budget: 5 })
  expect(await ask('/team/list')).toMatchObject([{ team_id: 'red' }])
  expect(await ask('/teams')).toMatchObject({ items: [{ team_id: 'red' }], total: { count: 1 } })
  expect(await ask('/teams?team_id=demo')).toMatchObject({ items: [{ team_id: 'demo' }] })
  const asked = { teams: 'all', dry_run: true }
  const grant = await ask('/teams/grant', { ...asked, amount_nano: 1_000_000_000, reason: 'more' })
  expect(grant).toMatchObject({ changes: [{ subject: 'red' }], meets: { teams: 1 } })
  // Handouts for all failed: the demo team has no members.
  const claims = (await ask('/claims', { ...asked, seats: 2 })) as { changes: { subject: string }[] }
  expect(new Set(claims.changes.map(({ subject }) => subject))).toEqual(new Set(['red']))
  expect(await ask('/spend/forecast')).toMatchObject({ items: [{ team_id: 'red' }] })
  expect(await ask('/event/pause', { dry_run: true })).toMatchObject({ meets: { teams: 1 } })
})

// An edit once removed a model from the project's own file.
test('the shipped catalog is offered for download and never written', async () => {
  const key = readFileSync(join(folder, 'data', 'admin-key'), 'utf8').trim()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const edit = async (body: object) => {
    const sent = { method: 'POST', headers, body: JSON.stringify(body) }
    const reply = await fetch(`${fairgate.adminUrl}/catalog/edit`, sent)
    return { status: reply.status, body: await reply.json() }
  }
  const models = { 'mm-2.5-flash': { rpm_limit: 5 } }
  expect(await edit({ models, dry_run: true })).toMatchObject({
    body: { can_write: false, file: expect.stringContaining('rpm_limit: 5') },
  })
  expect(await edit({ models })).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } })
})

test('the key for text digests is private to its owner and never printed', () => {
  const path = join(folder, 'data', 'join-key')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(fairgate.output()).not.toContain(readFileSync(path, 'utf8').trim())
})

test('each door has health, an OpenAPI document and a reference page', async () => {
  for (const url of [fairgate.gatewayUrl, fairgate.logbookUrl, fairgate.adminUrl]) {
    expect((await fetch(`${url}/health/live`)).status).toBe(200)
    expect((await fetch(`${url}/health/ready`)).status).toBe(200)
    expect(((await (await fetch(`${url}/openapi.json`)).json()) as { openapi: string }).openapi).toBe('3.1.0')
    expect((await fetch(`${url}/docs`)).headers.get('content-type')).toContain('text/html')
  }
})

test('a second server on the same data folder is refused', async () => {
  const second = Bun.spawn([process.execPath, 'src/cli/main.ts', 'serve'], {
    cwd: join(import.meta.dir, '..'),
    env: { PATH: process.env.PATH ?? '', ...variables(join(folder, 'data')) },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  expect(await new Response(second.stderr).text()).toContain('Another Fairgate process uses the data folder')
  expect(await second.exited).toBe(1)
})

// Shown to fail if the launcher does not watch its parent: the server then runs forever.
test('stopping npm start stops the server', async () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  const started = await spawnFairgate({
    variables: variables(join(folder, 'by-npm')),
    program: ['npm', '--prefix', root, 'start'],
  })
  started.kill('SIGTERM')
  const isGone = async () => (await fetch(`${started.adminUrl}/health/live`).catch(() => null)) === null
  while (!(await isGone())) await Bun.sleep(50)
})
