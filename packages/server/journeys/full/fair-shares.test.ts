// suite: full on sqlite and postgres; 133 s
// Eleven teams on a scarce model: one with a looping program, and ten that wait as asked. Each gets an equal share, and no capacity idles.
// On PostgreSQL with two processes: each ordinary team calls one of them, as behind a proxy with sticky clients, and the looping one calls both.
import { expect, test } from 'bun:test'
import { findTestPostgres } from '../../src/store/testing/create-test-postgres.ts'
import { createManagement } from '../testing/management.ts'
import { type SpawnedFairgate, spawnFairgate } from '../testing/spawn-fairgate.ts'
import { adminKey, createSurroundings } from '../testing/start-fairgate.ts'

const perMinute = 220
const warmUpMs = 60_000
const lengthMs = 60_000
const apartMs = 600
const models = `
scarce:
  upstream_id: gemini-2.5-flash
  context_limit: 32768
  max_output: 8192
  typical_output: 100
  rpm_limit: ${perMinute}
  price: { input: 0.10, cached_input: 0.03, output: 0.40, reasoning: 0.40 }
`

type Team = { readonly id: string; readonly workers: number; readonly obeys: boolean }

const teams: readonly Team[] = [
  { id: 'loops', workers: 40, obeys: false },
  ...Array.from({ length: 10 }, (_, index) => ({ id: `team-${index}`, workers: 8, obeys: true })),
]

const processes = findTestPostgres() === null ? 1 : 2

test(`each ordinary team gets its share within 20 %, and 95 % of the window is used; processes: ${processes}`, async () => {
  const place = await createSurroundings({ models: `models:${models.replaceAll('\n', '\n  ')}` })
  const servers: SpawnedFairgate[] = []
  try {
    for (let count = 0; count < processes; count += 1) servers.push(await spawnFairgate(place))
    const manage = createManagement(servers[0]?.adminUrl ?? '', adminKey)
    const gatewayAt = (index: number) => servers[index % servers.length]?.gatewayUrl ?? ''
    const endsAt = performance.now() + warmUpMs + lengthMs
    const answeredAt = new Map<string, number[]>()
    const other: string[] = []
    const work = async ({ id, obeys }: Team, gatewayUrl: string, key: string, times: number[]) => {
      while (performance.now() < endsAt) {
        const response = await fetch(`${gatewayUrl}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({
            model: 'scarce',
            max_tokens: 8,
            messages: [{ role: 'user', content: 'Hi' }],
          }),
        })
        const text = await response.text()
        if (response.status === 200) {
          times.push(performance.now())
          await Bun.sleep(200)
        } else {
          if (response.status !== 429) other.push(`${id}: ${text}`)
          await Bun.sleep(obeys ? Number(response.headers.get('retry-after') ?? 1) * 1000 : 20)
        }
      }
    }
    const playing = teams.map(async (team, index) => {
      const key = await manage.team(team.id)
      const times: number[] = []
      answeredAt.set(team.id, times)
      const begin = async (worker: number) => {
        // Programs of different people do not begin in the same millisecond.
        await Bun.sleep(team.obeys ? worker * apartMs + index * 30 : 0)
        await work(team, gatewayAt(team.obeys ? index : worker), key, times)
      }
      await Promise.all(Array.from({ length: team.workers }, (_, worker) => begin(worker)))
    })
    await Promise.all(playing)
    const from = endsAt - lengthMs
    const counts = new Map(
      [...answeredAt].map(([id, times]) => [id, times.filter(at => at >= from && at < endsAt).length]),
    )
    const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
    console.log(`${all} of ${perMinute}: ${JSON.stringify(Object.fromEntries(counts))}`)
    expect(other).toEqual([])
    expect(all).toBeGreaterThanOrEqual(0.95 * perMinute)
    const fair = perMinute / teams.length
    for (const { id, obeys } of teams) {
      if (!obeys) continue
      expect(counts.get(id) ?? 0).toBeGreaterThanOrEqual(0.8 * fair)
      expect(counts.get(id) ?? 0).toBeLessThanOrEqual(1.2 * fair)
    }
  } finally {
    for (const { kill, exited } of servers) {
      kill('SIGTERM')
      await exited
    }
    await place.remove()
  }
}, 240_000)
