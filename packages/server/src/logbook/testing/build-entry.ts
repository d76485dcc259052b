// A log entry as a recorder would send it, for tests.

export type SampleEntry = { readonly [member: string]: unknown }

export function buildEntry(changes: SampleEntry = {}): SampleEntry {
  return {
    ts: '2026-11-21T18:30:00.123+09:00',
    tool: 'Tool-1',
    event: 'UserPromptSubmit',
    session_id: 'session-1',
    repo: 'team/project',
    branch: 'main',
    commit: 'abc1234',
    student: 'student@example.org',
    ...changes,
  }
}

export function encodeBatch(entries: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ entries }))
}
