// What the body of a call says about its tool and session. The body may be anything: a refused call is described too.
import { readJsonObject } from '@fairgate/contracts/chat/tools.ts'

/** The text at this path of members; null where there is none. */
export function readBodyText(body: unknown, ...path: readonly string[]): string | null {
  let value = body
  for (const name of path) value = readMember(value, name)
  return typeof value === 'string' && value !== '' ? value : null
}

/** Claude Code's `metadata.user_id`: a JSON text with `session_id`, or, before version 2.1, a text that ends with it. */
export function readUserIdSession(body: unknown): string | null {
  const userId = readBodyText(body, 'metadata', 'user_id')
  if (userId === null) return null
  if (!userId.startsWith('{')) return /_session_([0-9a-f-]{36})$/.exec(userId)?.[1] ?? null
  return readBodyText(readJsonObject(userId), 'session_id')
}

/** Copilot CLI tells its model where the files of the session are, and that is the only place where the id stands. */
export function readSystemPromptSession(body: unknown): string | null {
  for (const text of listSystemTexts(body)) {
    // A plain search is faster than the expression, and most texts have no such folder.
    const place = text.indexOf('session-state')
    const found = place < 0 ? null : sessionFolder.exec(text.slice(place))
    if (found?.[1] !== undefined) return found[1]
  }
  return null
}

const sessionFolder = /session-state[\\/]+([\w-]{8,100})/

/** True when the call declares all of these tools, in any dialect. An agent declares dozens, so that nothing is made of them here. */
export function declaresTools(body: unknown, names: readonly string[]): boolean {
  const tools = readMember(body, 'tools')
  if (!Array.isArray(tools) || tools.length < names.length) return false
  return names.every(name => tools.some(tool => nameTool(tool) === name))
}

/** Chat has the name in a member of its own. */
function nameTool(tool: unknown): unknown {
  const name = readMember(tool, 'name')
  return typeof name === 'string' && name !== '' ? name : readMember(readMember(tool, 'function'), 'name')
}

/** `instructions` (Responses), `system` (Messages), and the first message or item where it is the system's. */
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
