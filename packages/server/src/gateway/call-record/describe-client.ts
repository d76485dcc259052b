// Identifies the program that a call came from, and its session, by the headers and members that coding agents send (observed with
// the versions named in docs/agents.md). None of it is proven, and nothing about the call depends on it.
import { readJsonObject } from '@fairgate/contracts/chat/tools.ts'
import type { Call } from '../../http/call.ts'
import type { CallClient } from '../../ledger/call-record.ts'

type ToolRule = {
  /** Named as in the logbook entries and the coverage. */
  readonly tool: string
  /** Any of these identifies the call as the tool's. */
  readonly userAgent?: RegExp
  readonly headers?: readonly string[]
  /** Tool names that no other program declares together. */
  readonly declares?: readonly string[]
  /** Headers with the session id; the first one present counts. */
  readonly session: readonly string[]
  /** The id in the body, if no header has it. */
  readonly bodySession?: (body: unknown) => string | null
  /** The session that started this one. */
  readonly parent?: { readonly header: string; readonly body: (body: unknown) => string | null }
}

const codexParent = 'x-codex-parent-thread-id'

/** The first matching rule counts. */
const toolRules: readonly ToolRule[] = [
  {
    // On Messages it calls itself `claude-cli` with a version of its own (0.24.4 was seen; Claude Code is at 2).
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
    // A sub-agent's calls have the id of the first session here, and their own as `thread-id`.
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
    // Its user agent is an SDK's.
    tool: 'copilot',
    headers: ['x-interaction-type', 'x-initiator'],
    declares: ['read_bash', 'stop_bash', 'fetch_copilot_cli_documentation'],
    session: [],
    bodySession: readSystemPromptSession,
  },
]

/** Other programs that name a session use one of these. */
const otherSessionHeaders = ['x-session-id', 'session_id', 'session-id']

const longestId = 200
const longestUserAgent = 300

/** `address`: the client's. `body`: as parsed; null if it was not. */
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

// Reads tool and session from the body of a call. The body may be anything, since refused calls are described too.

/** The text at this path of members; null if there is none. */
function readBodyText(body: unknown, ...path: readonly string[]): string | null {
  let value = body
  for (const name of path) value = readMember(value, name)
  return typeof value === 'string' && value !== '' ? value : null
}

/** Claude Code's `metadata.user_id`: a JSON text with `session_id`, or, before version 2.1, a text that ends with it. */
function readUserIdSession(body: unknown): string | null {
  const userId = readBodyText(body, 'metadata', 'user_id')
  if (userId === null) return null
  if (!userId.startsWith('{')) return /_session_([0-9a-f-]{36})$/.exec(userId)?.[1] ?? null
  return readBodyText(readJsonObject(userId), 'session_id')
}

/** Copilot CLI gives its model the path of the session's files. The id is nowhere else. */
function readSystemPromptSession(body: unknown): string | null {
  for (const text of listSystemTexts(body)) {
    // A plain search is faster than the regular expression, and most texts have no such folder.
    const place = text.indexOf('session-state')
    const found = place < 0 ? null : sessionFolder.exec(text.slice(place))
    if (found?.[1] !== undefined) return found[1]
  }
  return null
}

const sessionFolder = /session-state[\\/]+([\w-]{8,100})/

/** True if the call declares all of these tools, in any dialect. Creates no arrays, since an agent declares dozens of tools. */
function declaresTools(body: unknown, names: readonly string[]): boolean {
  const tools = readMember(body, 'tools')
  if (!Array.isArray(tools) || tools.length < names.length) return false
  return names.every(name => tools.some(tool => nameTool(tool) === name))
}

/** Chat has the name in a nested member. */
function nameTool(tool: unknown): unknown {
  const name = readMember(tool, 'name')
  return typeof name === 'string' && name !== '' ? name : readMember(readMember(tool, 'function'), 'name')
}

/** `instructions` (Responses), `system` (Messages), or the first message or item if its role is system. */
function listSystemTexts(body: unknown): string[] {
  const places = [readMember(body, 'instructions'), readMember(body, 'system')]
  for (const name of ['messages', 'input']) {
    const list = readMember(body, name)
    const first: unknown = Array.isArray(list) ? list[0] : undefined
    const role = readBodyText(first, 'role')
    if (role === 'system' || role === 'developer') places.push(readMember(first, 'content'))
  }
  return places.flatMap(place => {
    if (typeof place === 'string') return [place]
    return Array.isArray(place) ? place.flatMap(part => readBodyText(part, 'text') ?? []) : []
  })
}

function readMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
}

// Prepares client texts for the record: removes what cannot be shown and cuts what is too long. PostgreSQL accepts no NUL, and a
// text that it refuses would keep a charge from being written.

/** Null for none, and for a text without visible characters. `longest`: in UTF-16 units. */
function cleanText(text: string | null, longest: number): string | null {
  if (text === null) return null
  const shown = text
    .slice(0, longest)
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
    .trim()
  return shown === '' ? null : shown
}

const longest = 200

/** From the body, or from the path on routes that name it there; null if there is none. */
export function readModel({ body, params }: Call): string | null {
  const named =
    typeof body === 'object' && body !== null && 'model' in body ? body.model : (params.model ?? null)
  return typeof named === 'string' ? cleanText(named, longest) : null
}
