// Which program a call came from, and which of its sessions: by the headers and members that coding agents send (observed with the
// versions named in docs/agents.md). Nothing of it is proven, and nothing of it decides anything about the call.
import type { CallClient } from '../../ledger/call-record.ts'

type ToolRule = {
  /** As the entries of the logbook and the coverage name it. */
  readonly tool: string
  /** Any of these tells that the call is the tool's. */
  readonly userAgent?: RegExp
  readonly header?: string
  /** Headers with the id of the session, the first that is there. */
  readonly session: readonly string[]
  /** Headers with the id of the session that started this one. */
  readonly parent?: readonly string[]
}

/** The first rule that fits counts. */
const toolRules: readonly ToolRule[] = [
  {
    tool: 'claude',
    userAgent: /^claude-cli\//,
    header: 'x-claude-code-session-id',
    session: ['x-claude-code-session-id'],
  },
  {
    tool: 'codex',
    userAgent: /^codex[_-]/i,
    header: 'x-codex-window-id',
    session: ['session-id', 'session_id', 'thread-id'],
    parent: ['x-codex-parent-thread-id'],
  },
  { tool: 'gemini', userAgent: /^GeminiCLI/, session: [] },
  { tool: 'copilot', header: 'x-initiator', session: [] },
  { tool: 'opencode', userAgent: /^opencode\//, session: ['x-session-id', 'x-session-affinity'] },
  { tool: 'qwen', userAgent: /^QwenCode\//, session: [] },
  { tool: 'cursor', userAgent: /^Cursor\//i, session: [] },
]

/** Other programs that name a session do so with one of these. */
const otherSessionHeaders = ['x-session-id', 'session_id', 'session-id']

const longestId = 200
const longestUserAgent = 300

/** `address`: of the client. `bodySession`: an id that stood in the body, where the dialect has a place for one. */
export function describeClient(
  headers: Headers,
  address: string | null,
  bodySession: string | null = null,
): CallClient {
  const userAgent = readText(headers, 'user-agent', longestUserAgent)
  const rule = toolRules.find(
    ({ userAgent: pattern, header }) =>
      (header !== undefined && headers.has(header)) ||
      (pattern !== undefined && userAgent !== null && pattern.test(userAgent)),
  )
  const source = (rule?.session ?? otherSessionHeaders).find(
    name => readText(headers, name, longestId) !== null,
  )
  const told = source === undefined ? null : readText(headers, source, longestId)
  const sessionId = told ?? (bodySession === null ? null : clean(bodySession, longestId))
  const parent = rule?.parent?.map(name => readText(headers, name, longestId)).find(id => id !== null)
  return {
    sessionId,
    sessionSource: sessionId === null ? null : (source ?? 'body'),
    parentSession: parent ?? null,
    tool: rule?.tool ?? null,
    userAgent,
    address,
  }
}

function readText(headers: Headers, name: string, longest: number): string | null {
  const value = headers.get(name)
  return value === null ? null : clean(value, longest)
}

/** Null for a text without anything to see. */
function clean(text: string, longest: number): string | null {
  const shown = text
    .slice(0, longest)
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
    .trim()
  return shown === '' ? null : shown
}
