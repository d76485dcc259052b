// suite: 24 s
// Multiple processes at one address, without Fairgate in them: start, death, replacement and end, and what is printed and counted.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findFreePort } from '../testing/find-free-port.ts'
import { KeepAliveClient } from '../testing/keep-alive-client.ts'
import type { MemberPlan } from '../testing/processes/member.ts'
import { type Spawned, spawnProcess } from '../testing/spawn-fairgate.ts'

const program = fileURLToPath(new URL('../testing/processes/parent.ts', import.meta.url))
const launcher = fileURLToPath(new URL('../../../../scripts/hand-over.mjs', import.meta.url))
const testOnLinux = process.platform === 'linux' ? test : () => undefined

let folder: string
let port: number
let parent: Spawned | null = null
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairgate-processes-'))
  port = findFreePort()
  parent = null
})
afterEach(async () => {
  if (parent !== null) {
    try {
      process.kill(-parent.pid, 'SIGKILL')
    } catch {
      // Everything has ended.
    }
    await parent.exited
  }
  rmSync(folder, { recursive: true, force: true })
})

const planFile = () => join(folder, 'plan.json')
const plan = (more: Partial<MemberPlan> = {}) =>
  writeFileSync(planFile(), JSON.stringify({ port, version: '1', ...more } satisfies MemberPlan))
const events = () =>
  existsSync(`${planFile()}.events`) ? readFileSync(`${planFile()}.events`, 'utf8').trim().split('\n') : []

function start(count: number, more: Partial<MemberPlan> = {}): Spawned {
  plan(more)
  parent = spawnProcess({
    program: [process.execPath, program, String(count)],
    variables: { MEMBER_PLAN: planFile() },
    ownGroup: true,
  })
  return parent
}

async function startReady(count: number, more: Partial<MemberPlan> = {}): Promise<Spawned> {
  const started = start(count, more)
  await started.printed(`${count} processes serve these addresses.`)
  return started
}

type Answer = { readonly number: number; readonly pid: number; readonly version: string }

const ask = async (path = '/'): Promise<Answer> => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { keepalive: false })
  return (await response.json()) as Answer
}

/** Sends requests until `count` processes have answered. */
async function meet(
  count: number,
  isWanted: (answer: Answer) => boolean = () => true,
): Promise<Map<number, Answer>> {
  const met = new Map<number, Answer>()
  while (met.size < count) {
    const answer = await ask().catch(() => null)
    if (answer !== null && isWanted(answer)) met.set(answer.pid, answer)
  }
  return met
}

const scrape = async () => (await fetch(`http://127.0.0.1:${port}/metrics`, { keepalive: false })).text()

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

testOnLinux(
  'the first starts alone, the others join it; all share the address; the start is announced once',
  async () => {
    const started = await startReady(3)
    expect(events()).toHaveLength(3)
    expect(events()[0]).toBe('1 begins alone')
    expect(events().slice(1).sort()).toEqual(['2 begins beside others', '3 begins beside others'])
    expect(started.output()).toBe('Ready, says 1.\n3 processes serve these addresses.\n')
    expect([...(await meet(3)).values()].map(({ number }) => number).sort()).toEqual([1, 2, 3])
    started.kill('SIGHUP')
    while (events().filter(event => event.endsWith('SIGHUP')).length < 3) await Bun.sleep(5)
    started.kill('SIGTERM')
    expect(await started.exited).toBe(0)
    expect(events().filter(event => event.endsWith('SIGTERM'))).toHaveLength(3)
  },
  60_000,
)

testOnLinux(
  'a killed process is replaced, and its counts stay in the totals',
  async () => {
    const started = await startReady(2)
    const [killed] = [...(await meet(2)).keys()]
    for (let asked = 0; asked < 20; asked += 1) await ask()
    const countOf = (text: string) => Number(/^answered_total (\d+)$/m.exec(text)?.[1])
    const before = await scrape()
    expect(before).toMatch(/^version\{process="1"\} 1$/m)
    expect(before).toMatch(/^version\{process="2"\} 1$/m)
    expect(before).toMatch(/^fairgate_processes 2$/m)
    expect(before).toMatch(/^fairgate_process_restarts_total 0$/m)
    process.kill(killed ?? 0, 'SIGKILL')
    await started.printed('ended with 137.')
    const met = await meet(2, ({ pid }) => pid !== killed)
    expect([...met.values()].map(({ number }) => number).sort()).toEqual([1, 2])
    const after = await scrape()
    expect(countOf(after)).toBeGreaterThanOrEqual(countOf(before) + 2)
    expect(after).toMatch(/^fairgate_processes 2$/m)
    expect(after).toMatch(/^fairgate_process_restarts_total 1$/m)
    started.kill('SIGINT')
    expect(await started.exited).toBe(0)
  },
  60_000,
)

testOnLinux(
  'output lines of processes are not mixed',
  async () => {
    const started = await startReady(3)
    await Promise.all(Array.from({ length: 30 }, () => ask('/print')))
    started.kill('SIGTERM')
    await started.exited
    const long = started
      .output()
      .split('\n')
      .filter(text => text.length > 100)
    expect(long.join('').length).toBe(30 * 4 * 3000)
    // Each prints its own number; requests of one process may overlap.
    for (const text of long) expect(new Set(text).size).toBe(1)
  },
  60_000,
)

testOnLinux(
  'SIGUSR2 replaces one after the other: no request fails meanwhile',
  async () => {
    const started = await startReady(2)
    const before = await meet(2)
    plan({ version: '2' })
    let isOver = false
    let answered = 0
    const failures: string[] = []
    const load = Promise.all(
      Array.from({ length: 16 }, async () => {
        const client = new KeepAliveClient(`http://127.0.0.1:${port}`)
        while (!isOver) {
          try {
            await client.send('/', 'nobody')
            answered += 1
          } catch (error) {
            failures.push(String(error))
          }
        }
        client.close()
      }),
    )
    started.kill('SIGUSR2')
    while ([...before.keys()].some(isAlive)) await Bun.sleep(20)
    isOver = true
    await load
    console.log(`${answered} answered during the replacement, ${failures.length} failed`)
    expect(failures).toEqual([])
    const met = await meet(2)
    expect([...met.values()].map(({ version }) => version)).toEqual(['2', '2'])
    expect(events().filter(event => event.endsWith('leaves'))).toHaveLength(2)
    started.kill('SIGTERM')
    expect(await started.exited).toBe(0)
  },
  60_000,
)

testOnLinux(
  'a new process that does not start ends the replacement, and the others keep running',
  async () => {
    const started = await startReady(2)
    const before = await meet(2)
    plan({ version: '2', fault: 'fails' })
    started.kill('SIGUSR2')
    await started.printed('The others keep running.')
    expect(started.output()).toContain('Process 3 cannot start: its settings are wrong.')
    expect([...(await meet(2)).keys()].sort()).toEqual([...before.keys()].sort())
    started.kill('SIGTERM')
    expect(await started.exited).toBe(0)
  },
  60_000,
)

testOnLinux(
  'a failing first process ends the start with its message and exit code',
  async () => {
    const started = start(3, { fault: 'fails' })
    expect(await started.exited).toBe(7)
    expect(started.output()).toBe('Process 1 cannot start: its settings are wrong.\n')
  },
  60_000,
)

testOnLinux(
  'any other failing process does the same',
  async () => {
    const started = start(3, { fault: 'fails', from: 3 })
    expect(await started.exited).toBe(7)
    expect(started.output()).toBe('Process 3 cannot start: its settings are wrong.\n')
    expect(events().filter(event => event.endsWith('SIGINT')).length).toBeGreaterThan(0)
  },
  60_000,
)

testOnLinux(
  'a process that does not become ready is killed, and the start ends',
  async () => {
    const started = start(2, { fault: 'never ready', from: 2 })
    expect(await started.exited).toBe(137)
    expect(started.output()).toBe('fairgate: Process 2 was not ready after 3 s and is killed.\n')
  },
  60_000,
)

testOnLinux(
  'processes that die at once are not restarted forever',
  async () => {
    const started = start(2, { fault: 'dies when ready' })
    expect(await started.exited).toBe(9)
    expect(started.output()).toContain(
      'processes in a row ended soon after starting, the last with 9. Giving up.',
    )
    const begun = events().filter(event => event.includes('begins')).length
    expect(begun).toBeLessThan(20)
  },
  60_000,
)

testOnLinux(
  'while one is steady, the other is restarted forever',
  async () => {
    const started = await startReady(2)
    const [lost] = [...(await meet(2)).values()]
    const begun = () => events().filter(event => event.includes('begins')).length
    plan({ fault: 'fails' })
    // Until the one that stays is steady, repeated deaths would end both.
    await Bun.sleep(1600)
    process.kill(lost?.pid ?? 0, 'SIGKILL')
    while (begun() < 10) await Bun.sleep(20)
    expect((await ask()).pid).not.toBe(lost?.pid ?? 0)
    plan()
    await meet(2)
    started.kill('SIGTERM')
    expect(await started.exited).toBe(0)
  },
  60_000,
)

testOnLinux(
  'the worst exit code is used for all',
  async () => {
    const started = await startReady(3, { fault: 'ends with 3', from: 3 })
    started.kill('SIGTERM')
    expect(await started.exited).toBe(3)
  },
  60_000,
)

testOnLinux(
  'a process that does not stop in time is killed',
  async () => {
    const started = await startReady(2, { fault: 'does not stop', from: 2 })
    started.kill('SIGTERM')
    expect(await started.exited).toBe(137)
    expect(started.output()).toContain('fairgate: Process 2 had not ended after 2 s and is killed.\n')
  },
  60_000,
)

testOnLinux(
  'when the parent is killed, the processes end and free the address',
  async () => {
    const started = await startReady(3)
    const pids = [...(await meet(3)).keys()]
    started.kill('SIGKILL')
    await started.exited
    while (pids.some(isAlive)) await Bun.sleep(10)
    expect(events().filter(event => event.endsWith('parent gone'))).toHaveLength(3)
    const next = await startReady(1)
    next.kill('SIGTERM')
    expect(await next.exited).toBe(0)
  },
  60_000,
)

testOnLinux(
  'under the launcher SIGUSR2 replaces the processes; a killed launcher ends them all',
  async () => {
    plan()
    const run = `import { runServer } from ${JSON.stringify(launcher)}; runServer(${JSON.stringify([program, '2'])})`
    parent = spawnProcess({
      program: ['node', '--input-type=module', '--eval', run],
      variables: { MEMBER_PLAN: planFile() },
      ownGroup: true,
    })
    await parent.printed('2 processes serve these addresses.')
    const before = await meet(2)
    parent.kill('SIGUSR2')
    while ([...before.keys()].some(isAlive)) await Bun.sleep(20)
    const after = await meet(2)
    expect(events().filter(event => event.endsWith('leaves'))).toHaveLength(2)
    parent.kill('SIGKILL')
    await parent.exited
    while ([...after.keys()].some(isAlive)) await Bun.sleep(10)
  },
  60_000,
)
