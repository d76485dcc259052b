// Writes to and reads from a logbook as a recorder would.

export const sampleEntry = {
  ts: '2026-11-21T10:00:00+09:00',
  tool: 'claude-code',
  event: 'UserPromptSubmit',
  session_id: 'session-1',
  repo: 'team/project',
  branch: 'main',
  commit: 'abc1234',
  student: 'student@example.org',
}

export type ReadEntry = { readonly ts: string; readonly prompt: string; readonly [member: string]: unknown }

export type EntriesPage = { readonly items: readonly ReadEntry[]; readonly next_before: string | null }

export async function ingest(
  logbookUrl: string,
  token: string,
  entries: readonly unknown[],
): Promise<Response> {
  return await fetch(`${logbookUrl}/api/ingest`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ entries }),
  })
}

/** `query`: further parameters such as `limit=200&tool=codex`. */
export async function readPage(
  logbookUrl: string,
  token: string,
  before: string | null,
  query: string,
): Promise<EntriesPage> {
  const from = before === null ? '' : `&before=${encodeURIComponent(before)}`
  const response = await fetch(`${logbookUrl}/api/ingest/entries?${query}${from}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  if (response.status !== 200)
    throw new Error(`Reading answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as EntriesPage
}

/** Follows `next_before` to the end. */
export async function readAllEntries(
  logbookUrl: string,
  token: string,
  query = 'limit=200',
): Promise<ReadEntry[]> {
  const entries: ReadEntry[] = []
  let before: string | null = null
  do {
    const page: EntriesPage = await readPage(logbookUrl, token, before, query)
    entries.push(...page.items)
    before = page.next_before
  } while (before !== null)
  return entries
}
