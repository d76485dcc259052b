// Payloads that tools send on standard input, and the entries expected from them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tools } from '../../src/tools/find-tool.ts'
import type { ToolName } from '../../src/tools/tool.ts'

const folder = join(import.meta.dir, '..', '..', 'src', 'tools')

export type Places = { readonly root: string; readonly home: string; readonly now: string }

/** A fixture with its placeholders filled in. */
export function readFixture(tool: ToolName, name: string, { root, home, now }: Places): string {
  const text = readFileSync(join(folder, tool, '__fixtures__', name), 'utf8')
  return text.replaceAll('{{root}}', root).replaceAll('{{home}}', home).replaceAll('{{now}}', now)
}

/** Event → the members of the entry that come from the payload. */
export function readExpected(tool: ToolName, places: Places): Record<string, Record<string, unknown>> {
  return JSON.parse(readFixture(tool, 'expected.json', places))
}

/** Every event of spec 6, with the start of a session before the others. */
export const allEvents: readonly (readonly [ToolName, string])[] = Object.values(tools).flatMap(tool =>
  [...tool.events]
    .sort((left, right) => Number(right === 'SessionStart') - Number(left === 'SessionStart'))
    .map(event => [tool.name, event] as const),
)

/** Where each tool keeps the transcript of the fixtures, relative to home. */
export const transcriptPlaces: readonly (readonly [ToolName, string, string])[] = [
  ['claude', 'transcript.jsonl', '.claude/projects/-code-project/6f1c2f0e-6a86-4c07-9c55-0d5f3b9a4c11.jsonl'],
  [
    'claude',
    'subagent-transcript.jsonl',
    '.claude/projects/-code-project/6f1c2f0e-6a86-4c07-9c55-0d5f3b9a4c11/subagents/agent-a1b2c3d.jsonl',
  ],
  ['gemini', 'transcript.jsonl', '.gemini/tmp/project/chats/session-2026-03-01T05-03-g0000000.jsonl'],
  ['copilot', 'transcript.jsonl', '.copilot/session-state/p1234567-89ab-4cde-8f01-23456789abcd/events.jsonl'],
  [
    'antigravity',
    'transcript.jsonl',
    '.gemini/antigravity-cli/brain/a9876543-210f-4edc-8ba9-876543210fed/.system_generated/logs/transcript_full.jsonl',
  ],
]
