// Fills the database of a stopped server with a large event, by plain inserts: calls with their charges and sums, and log entries.
import { Database } from 'bun:sqlite'
import { randomBytes } from 'node:crypto'
import type { DigestTexts } from '../../packages/server/src/evidence/create-digester.ts'
import { bucketMs } from '../../packages/server/src/store/schema/spend.ts'

export type BigTeam = {
  readonly teamId: string
  readonly keyHashes: readonly string[]
  readonly tokenId: string
}

export type BigEvent = {
  readonly teams: readonly BigTeam[]
  /** Over all teams. */
  readonly calls: number
  readonly entries: number
  /** Unix ms: when the event ends. It begins eight hours earlier. */
  readonly until: number
  readonly digestTexts: DigestTexts
}

type Value = string | number | Uint8Array | null
type Row = Readonly<Record<string, Value>>

/** Writes rows to a database. Indexes and triggers are dropped between `open` and `close`, and then built once in sorted bulk. */
export type BigDatabase = {
  readonly run: (sql: string) => Promise<void>
  readonly insert: (table: string, rows: readonly Row[]) => Promise<void>
  readonly close: () => Promise<void>
}

export function openBigSqlite(path: string): BigDatabase {
  const database = new Database(path)
  database.run('pragma synchronous = off')
  database.run('pragma cache_size = -500000')
  const saved = database
    .query<{ type: string; name: string; sql: string }, []>(
      `select type, name, sql from sqlite_schema
       where sql is not null and tbl_name in ('calls', 'charges', 'entries') and type in ('index', 'trigger')`,
    )
    .all()
  for (const { type, name } of saved) database.run(`drop ${type} ${name}`)
  return {
    run: async sql => {
      database.run(sql)
    },
    insert: async (table, rows) => {
      const [first] = rows
      if (first === undefined) return
      const columns = Object.keys(first)
      const statement = database.prepare(
        `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
      )
      database.transaction(() => {
        for (const row of rows) statement.run(...columns.map(column => row[column] ?? null))
      })()
    },
    close: async () => {
      for (const { sql } of saved) database.run(sql)
      database.run('pragma wal_checkpoint(truncate)')
      database.close()
    },
  }
}

export async function openBigPostgres(url: string): Promise<BigDatabase> {
  const database = new Bun.SQL(url, { max: 1 })
  await database.unsafe("set session_replication_role = 'replica'")
  await database.unsafe('set synchronous_commit = off')
  await database.unsafe("set maintenance_work_mem = '1GB'")
  const saved: { name: string; sql: string }[] = await database.unsafe(
    `select indexname as name, indexdef as sql from pg_indexes where tablename in ('calls', 'charges', 'entries')
     and indexname not in (select conname from pg_constraint)`,
  )
  for (const { name } of saved) await database.unsafe(`drop index ${name}`)
  return {
    run: async sql => {
      await database.unsafe(sql)
    },
    insert: async (table, rows) => {
      const [first] = rows
      if (first === undefined) return
      const columns = Object.keys(first).join(', ')
      const texts = rows.map(row =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value,
          ]),
        ),
      )
      await database.unsafe(
        `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1::text::jsonb)`,
        [JSON.stringify(texts)],
      )
    },
    close: async () => {
      for (const { sql } of saved) await database.unsafe(sql)
      await database.unsafe('vacuum analyze')
      await database.unsafe('checkpoint')
      await database.close()
    },
  }
}

const eventMs = 8 * 3_600_000
const stepsPerSession = 20
const entriesPerStep = 5
const members = 4
const models = ['mm-2.5-flash', 'mm-2.5-pro']
const tools = [
  { tool: 'claude-code', family: 'claude', agent: 'claude-cli/2.1.4', source: 'x-claude-code-session-id' },
  { tool: 'claude-code', family: 'claude', agent: 'claude-cli/2.1.4', source: 'x-claude-code-session-id' },
  { tool: 'codex', family: 'codex', agent: 'codex_cli_rs/0.61.0', source: 'session-id' },
  // Its calls name no session, so they are matched by their texts.
  { tool: 'gemini-cli', family: 'gemini', agent: 'GeminiCLI/0.19.0', source: null },
] as const
const words = 'All human beings are born free and equal in dignity and rights. '.repeat(4)
const refusedEach = 10

function idAt(unixMs: number): string {
  const time = Math.floor(unixMs).toString(16).padStart(12, '0')
  const rest = randomBytes(10).toString('hex')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-8${rest.slice(3, 6)}-${rest.slice(6, 18)}`
}

export async function fillBigEvent(database: BigDatabase, event: BigEvent): Promise<void> {
  const { teams, calls, entries, until, digestTexts } = event
  const entriesPerTeam = Math.floor(entries / teams.length)
  const callsPerTeam = Math.floor(calls / teams.length)
  const sessions = Math.max(1, Math.round(entriesPerTeam / (stepsPerSession * entriesPerStep)))
  const steps = sessions * stepsPerSession
  const from = until - eventMs
  let eventSpent = 0
  // Teams are created with an empty board.
  await database.run('delete from boards')
  for (const { teamId, keyHashes, tokenId } of teams) {
    const callRows: Row[] = []
    const charges: Row[] = []
    const entryRows: (Row & { readonly at: number })[] = []
    const buckets = new Map<string, { calls: number; cost_nano: number; row: Row }>()
    const spent = new Map<string, number>()
    const sessionMs = eventMs / Math.ceil(sessions / members)
    let made = 0
    for (let session = 0; session < sessions; session += 1) {
      const member = session % members
      const { tool, family, agent, source } = tools[member] ?? tools[0]
      const sessionId = Bun.randomUUIDv7()
      const prompts: string[] = []
      const results: string[] = []
      for (let step = 0; step < stepsPerSession; step += 1) {
        const at = Math.floor(
          from + Math.floor(session / members) * sessionMs + (step * sessionMs) / stepsPerSession,
        )
        const prompt = `Please do step ${step} of ${sessionId} now, and say what you have found.`
        const result = `Result of step ${step} in ${sessionId}: 12 files changed, all tests passed.`
        const digest = digestTexts(teamId, family, { prompts: [prompt], results: [result], answer: null })
        prompts.push(...(digest?.prompts ?? []))
        results.push(...(digest?.results ?? []))
        for (const [place, own] of [
          { event: 'UserPromptSubmit', prompt },
          { event: 'PreToolUse', tool_name: 'Bash', tool_input: { command: `npm test ${step}` } },
          { event: 'PostToolUse', tool_name: 'Bash', tool_response: result },
          {
            event: 'PostToolUse',
            tool_name: 'Read',
            tool_response: { content: `${place36(step)} ${words}` },
          },
          { event: 'Stop', response_summary: `Done with step ${step} of ${sessionId}. ${words}` },
        ].entries()) {
          const ts = at + 200 + place * 4000
          const body = JSON.stringify({
            ...own,
            ts: new Date(ts).toISOString(),
            tool,
            session_id: sessionId,
            repo: 'team/project',
            branch: 'main',
            student: `student-${member}@example.org`,
          })
          entryRows.push({
            at: ts,
            ts_micros: ts * 1000,
            tool_key: tool,
            event_key: own.event,
            identity: randomBytes(32).toString('hex'),
            body_bytes: body.length,
            body,
          })
        }
        const due = Math.floor(((session * stepsPerSession + step + 1) * callsPerTeam) / steps)
        for (let index = 0; made < due; made += 1, index += 1) {
          const received = at + 300 + index * 5000
          const isRefused = made % refusedEach === 0
          const keyHash = keyHashes[member % keyHashes.length] ?? ''
          const model = models[made % models.length] ?? ''
          const callId = idAt(received)
          const cost = isRefused ? 0 : 400_000 + (made % 100) * 1000
          const units = isRefused ? '{}' : '{"inputText":12000,"outputText":400}'
          const texts = isRefused
            ? null
            : JSON.stringify({
                prompts: prompts.slice(-8),
                results: results.slice(0, -1).slice(-32),
                answer: null,
              })
          callRows.push({
            ...{ team_id: teamId, call_id: callId, key_hash: keyHash, endpoint: 'chat', model_asked: model },
            ...{ model_served: isRefused ? null : model, outcome: isRefused ? 'refused' : 'completed' },
            ...{
              code: isRefused ? 'rpm_exceeded' : null,
              status: isRefused ? 429 : 200,
              refusal: null,
              units,
            },
            ...{
              cost_nano: cost,
              flag: null,
              received_at: received,
              ended_at: received + 3000,
              duration_ms: 3000,
            },
            ...{ first_byte_ms: 400, upstream: 'vendor', upstream_key: null },
            ...{
              session_id: source === null ? null : sessionId,
              session_source: source,
              parent_session: null,
            },
            ...{
              tool: family,
              user_agent: agent,
              client_address: `192.0.2.${member}`,
              calls: 1,
              last_at: received,
            },
            ...{
              texts,
              texts_salt: null,
              texts_hash: null,
              salt: randomBytes(16),
              commit_hash: randomBytes(32),
            },
          })
          if (!isRefused)
            charges.push({
              ...{
                team_id: teamId,
                call_id: callId,
                key_hash: keyHash,
                model_id: model,
                endpoint: 'chat',
                units,
              },
              ...{ cost_nano: cost, outcome: 'completed', flag: null, reported: null },
              ...{ admitted_at: received, settled_at: received + 3000, duration_ms: 3000 },
            })
          const code = isRefused ? 'rpm_exceeded' : ''
          const start = Math.floor(received / bucketMs) * bucketMs
          const bucketName = `${start} ${keyHash} ${model} ${code}`
          const row = {
            ...{ bucket_start: start, team_id: teamId, key_hash: keyHash, model_id: model, code, writer: 0 },
          }
          const bucket = buckets.get(bucketName) ?? { calls: 0, cost_nano: 0, row }
          bucket.calls += 1
          bucket.cost_nano += cost
          buckets.set(bucketName, bucket)
          for (const owner of [`team:${teamId}`, `key:${keyHash}`, `key_model:${keyHash}:${model}`])
            spent.set(owner, (spent.get(owner) ?? 0) + cost)
        }
      }
    }
    entryRows.sort((left, right) => left.at - right.at)
    callRows.sort((left, right) => (String(left.call_id) < String(right.call_id) ? -1 : 1))
    charges.sort((left, right) => (String(left.call_id) < String(right.call_id) ? -1 : 1))
    const numbered = entryRows.map(({ at, ...row }, index) => ({
      ...{ team_id: teamId, seq: index + 1, received_micros: (at + 30_000) * 1000, chain: '0'.repeat(64) },
      ...{
        token_id: tokenId,
        client_address: '192.0.2.1',
        salt: randomBytes(16),
        commitment: randomBytes(32),
        late: 0,
      },
      ...row,
    }))
    for (const [table, rows] of [
      ['calls', callRows],
      ['charges', charges],
      ['entries', numbered],
    ] as const)
      for (let start = 0; start < rows.length; start += 5000)
        await database.insert(table, rows.slice(start, start + 5000))
    const counts = new Map<number, number>()
    for (const { at } of entryRows) {
      const bucket = Math.floor(at / bucketMs) * bucketMs
      counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
    }
    await database.insert(
      'entry_buckets',
      [...counts].map(([bucket_start, own]) => ({ bucket_start, team_id: teamId, entries: own })),
    )
    await database.insert(
      'spend_buckets',
      [...buckets.values()].map(({ row, ...own }) => ({ ...row, ...own })),
    )
    const totals = (team: string, owner: string, amount: number): Row => ({
      ...{
        team_id: team,
        owner,
        slot: 0,
        period_start: 0,
        spent_nano: amount,
        lifetime_nano: amount,
        version: 1,
      },
    })
    await database.insert(
      'totals',
      [...spent].map(([owner, amount]) => totals(teamId, owner, amount)),
    )
    eventSpent += spent.get(`team:${teamId}`) ?? 0
    await database.insert('boards', [
      {
        ...{
          team_id: teamId,
          locked: 0,
          lock_at: null,
          head_seq: numbered.length,
          head_chain: '0'.repeat(64),
        },
        ...{ updated_at: from, head_received_micros: until * 1000, event_locks: null, opened_at: null },
      },
    ])
    if (teams.at(-1)?.teamId === teamId) await database.insert('totals', [totals('', 'event', eventSpent)])
  }
}

function place36(step: number): string {
  return step.toString(36).padStart(8, '0')
}
