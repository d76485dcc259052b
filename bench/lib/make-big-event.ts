// Makes a large event for a measurement: teams through the API of a server that is then stopped, calls and entries by plain inserts.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { joinKeyPath, loadJoinKey } from '../../packages/server/src/config/join-key.ts'
import { createDigester } from '../../packages/server/src/evidence/create-digester.ts'
import { readJoinRules, shippedJoinRules } from '../../packages/server/src/evidence/read-join-rules.ts'
import { type BigTeam, fillBigEvent, openBigPostgres, openBigSqlite } from './fill-big-event.ts'
import type { BenchFairgate } from './run-fairgate.ts'

export type MadeTeam = BigTeam & { readonly key: string }

/** `until`: Unix ms, when the event ends. `callerKey`: key of a team without calls. */
export type MadeEvent = {
  readonly until: number
  readonly teams: readonly MadeTeam[]
  readonly callerKey: string
}

export type EventSize = { readonly teams: number; readonly calls: number; readonly entries: number }

/** `data`: the data folder that `start` serves. If `databaseUrl` is undefined, SQLite in that folder is used. */
export async function makeBigEvent(
  start: () => Promise<BenchFairgate>,
  data: string,
  databaseUrl: string | undefined,
  size: EventSize,
): Promise<MadeEvent> {
  const { teams, callerKey } = await makeTeams(start, size.teams)
  const until = Date.now()
  if (size.calls === 0) return { until, teams, callerKey }
  const joinKey = loadJoinKey(joinKeyPath(data), randomBytes)
  const digestTexts = createDigester(joinKey, readJoinRules(shippedJoinRules))
  const database =
    databaseUrl === undefined ? openBigSqlite(join(data, 'fairgate.db')) : await openBigPostgres(databaseUrl)
  await fillBigEvent(database, { ...size, teams, until, digestTexts })
  await database.close()
  return { until, teams, callerKey }
}

async function manage(fairgate: BenchFairgate, path: string, body: object): Promise<Record<string, string>> {
  const reply = await fetch(`${fairgate.adminUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${fairgate.adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!reply.ok) throw new Error(await reply.text())
  return (await reply.json()) as Record<string, string>
}

/** Two keys per team. */
async function makeTeams(
  start: () => Promise<BenchFairgate>,
  count: number,
): Promise<Omit<MadeEvent, 'until'>> {
  const fairgate = await start()
  try {
    const teams: MadeTeam[] = []
    for (let index = 0; index < count; index += 1) {
      const teamId = `team-${String(index).padStart(3, '0')}`
      await manage(fairgate, '/team/new', { team_id: teamId, max_budget: 1_000_000 })
      const generateKey = () =>
        manage(fairgate, '/key/generate', { team_id: teamId, max_parallel_requests: 1000 })
      const [first = {}, second = {}] = [await generateKey(), await generateKey()]
      const { token_id: tokenId = '' } = await manage(fairgate, '/log_token/generate', { team_id: teamId })
      const keyHashes = [first, second].map(({ key = '' }) =>
        new Bun.CryptoHasher('sha256').update(key).digest('hex'),
      )
      teams.push({ teamId, keyHashes, tokenId, key: first.key ?? '' })
    }
    return { teams, callerKey: fairgate.key }
  } finally {
    await fairgate.stop()
  }
}
