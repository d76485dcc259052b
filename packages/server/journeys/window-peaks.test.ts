// suite: full on postgres
// Two processes on one PostgreSQL, each with a part of a team's calls: both report the same window peaks over all calls.
//
// Shown to fail if the windows are not sampled: the peak is then the rest at the end.
import { expect, test } from 'bun:test'
import type { TeamDetail } from '@fairgate/contracts/console/team-detail.ts'
import { startServer } from '../src/main.ts'
import { findTestPostgres } from '../src/store/testing/create-test-postgres.ts'
import { createManagement } from './testing/management.ts'
import { adminKey, createSurroundings } from './testing/start-fairgate.ts'
import { runStored } from './testing/stored-rows.ts'

const testOnPostgres = findTestPostgres() === null ? () => undefined : test

/** Windows are sampled every five seconds; a busy machine that is late gets another round. */
const holdsMs = [6_000, 15_000, 40_000]
const callsOfEach = [4, 3]

testOnPostgres(
  'a past peak that only reservations reached, on two processes together, is reported alike by both',
  async () => {
    const place = await createSurroundings({ settings: 'drain_announce_seconds: 0' })
    const servers = [await startServer(place.variables), await startServer(place.variables)]
    try {
      const managements = servers.map(({ adminUrl }) => createManagement(adminUrl, adminKey))
      const key = (await managements[0]?.team('red', { rpm_limit: 500, tpm_limit: 1_000_000 })) ?? ''
      const ask = async (gatewayUrl: string) => {
        const reply = await fetch(`${gatewayUrl}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({
            model: 'mm-2.5-flash',
            max_tokens: 4000,
            messages: [{ role: 'user', content: 'Hello. [[sandbox: firstByteDelayMs=1; outputTokens=5]]' }],
          }),
        })
        await reply.text()
        return reply.status
      }
      const readWindows = () =>
        Promise.all(
          managements.map(async ({ call }) => {
            const reply = await call('GET', '/team/info?team_id=red&detail=true')
            const { limits_now: limits } = (await reply.json()) as TeamDetail
            return limits.flatMap(({ kind, level, used, peak }) =>
              level === 'team' && peak !== undefined ? [{ kind, used, peak }] : [],
            )
          }),
        )
      const countRunning = async () =>
        (await runStored(place, 'select call_id from running_calls', [])).length
      // Teams are sampled once they have made a call.
      for (const { gatewayUrl } of servers) expect(await ask(gatewayUrl)).toBe(200)

      const all = callsOfEach.reduce((sum, calls) => sum + calls, 0)
      let reported: Awaited<ReturnType<typeof readWindows>> = []
      const peaksOf = (kind: string) =>
        reported.map(windows => windows.find(one => one.kind === kind)?.peak ?? 0)
      for (const holdMs of holdsMs) {
        const letGo = place.holdUpstream()
        const asked = servers.flatMap(({ gatewayUrl }, index) =>
          Array.from({ length: callsOfEach[index] ?? 0 }, () => ask(gatewayUrl)),
        )
        while ((await countRunning()) < all) await Bun.sleep(20)
        await Bun.sleep(holdMs)
        letGo()
        expect(await Promise.all(asked)).toEqual(asked.map(() => 200))
        reported = await readWindows()
        if (peaksOf('tokens').every(peak => peak >= all * 4000)) break
      }
      const [one, other] = reported
      expect(one).toHaveLength(2)
      expect(other).toEqual(one ?? [])
      // The reservations of both processes' calls; their usage is a small part of it.
      for (const peak of peaksOf('tokens')) expect(peak).toBeGreaterThanOrEqual(all * 4000)
      for (const { kind, used } of one ?? []) if (kind === 'tokens') expect(used).toBeLessThan(4000)
      console.log('both report:', JSON.stringify(one))
    } finally {
      for (const server of servers) await server.stop()
      await place.remove()
    }
  },
  300_000,
)
