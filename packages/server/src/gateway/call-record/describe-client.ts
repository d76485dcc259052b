// Which program a call came from, and which of its sessions: by the headers and members that coding agents send (observed with the
// versions named in docs/agents.md). Nothing of it is proven, and nothing of it decides anything about the call.
import type { CallClient } from '../../ledger/call-record.ts'
import { cleanText } from './clean-text.ts'
import {
  declaresTools,
  readBodyText,
  readSystemPromptSession,
  readUserIdSession,
} from './read-body-client.ts'

type ToolRule = {
  /** As the entries of the logbook and the coverage name it. */
  readonly tool: string
  /** Any of these tells that the call is the tool's. */
  readonly userAgent?: RegExp
  readonly headers?: readonly string[]
  /** Names of tools that no other program declares together. */
  readonly declares?: readonly string[]
  /** Headers with the id of the session, the first that is there. */
  readonly session: readonly string[]
  /** The id in the body, where no header has it. */
  readonly bodySession?: (body: unknown) => string | null
  /** The session that started this one. */
  readonly parent?: { readonly header: string; readonly body: (body: unknown) => string | null }
}

const codexParent = 'x-codex-parent-thread-id'

/** The first rule that fits counts. */
const toolRules: readonly ToolRule[] = [
  {
    // By Messages it calls itself `claude-cli` with a version of its own (0.24.4 was seen; Claude Code is at 2).
    tool: 'qwen',
    userAgent: /^(QwenCode|claude-cli\/0\.)/,
    declares: ['run_shell_command', 'notebook_edit', 'update_goal'],
    session: [],
  },
  {
    tool: 'claude',
    userAgent: /^claude-cli\//,
    headers: ['x-claude-code-session-id'],
    session: ['x-claude-code-session-id'],
    bodySession: readUserIdSession,
  },
  {
    tool: 'codex',
    userAgent: /^codex[_-]/i,
    headers: ['x-codex-window-id'],
    // Calls of a sub-agent have the id of the first session here, and their own as `thread-id`.
    session: ['session-id', 'session_id', 'thread-id'],
    bodySession: body =>
      readBodyText(body, 'client_metadata', 'session_id') ?? readBodyText(body, 'prompt_cache_key'),
    parent: { header: codexParent, body: body => readBodyText(body, 'client_metadata', codexParent) },
  },
  { tool: 'gemini', userAgent: /^GeminiCLI/, session: [] },
  {
    tool: 'opencode',
    userAgent: /^opencode\//,
    session: ['x-session-id', 'x-session-affinity'],
    bodySession: body => readBodyText(body, 'prompt_cache_key'),
  },
  { tool: 'cursor', userAgent: /^Cursor\//i, session: [] },
  {
    // Its user agent is that of an SDK.
    tool: 'copilot',
    headers: ['x-interaction-type', 'x-initiator'],
    declares: ['read_bash', 'stop_bash', 'fetch_copilot_cli_documentation'],
    session: [],
    bodySession: readSystemPromptSession,
  },
]

/** Other programs that name a session do so with one of these. */
const otherSessionHeaders = ['x-session-id', 'session_id', 'session-id']

const longestId = 200
const longestUserAgent = 300

/** `address`: of the client. `body`: as it was parsed; null where it was not. */
export function describeClient(headers: Headers, address: string | null, body: unknown): CallClient {
  const userAgent = readText(headers, 'user-agent', longestUserAgent)
  const rule = toolRules.find(candidate => fits(candidate, headers, userAgent, body))
  const source = (rule?.session ?? otherSessionHeaders).find(
    name => readText(headers, name, longestId) !== null,
  )
  const inBody = source === undefined ? cleanText(rule?.bodySession?.(body) ?? null, longestId) : null
  const parent = rule?.parent
  const parentSession =
    parent === undefined
      ? null
      : (readText(headers, parent.header, longestId) ?? cleanText(parent.body(body), longestId))
  return {
    sessionId: source === undefined ? inBody : readText(headers, source, longestId),
    sessionSource: source ?? (inBody === null ? null : 'body'),
    parentSession,
    tool: rule?.tool ?? null,
    userAgent,
    address,
  }
}

function fits(rule: ToolRule, headers: Headers, userAgent: string | null, body: unknown): boolean {
  if (userAgent !== null && rule.userAgent?.test(userAgent) === true) return true
  if (rule.headers?.some(name => headers.has(name)) === true) return true
  return rule.declares !== undefined && declaresTools(body, rule.declares)
}

function readText(headers: Headers, name: string, longest: number): string | null {
  return cleanText(headers.get(name), longest)
}
