// One request to the admin door and its reply, or the failure that says why there is none.
import { CommandFailure } from '../command-failure.ts'
import type { ProgramDependencies } from '../dependencies.ts'
import { describeRefusal } from './describe-refusal.ts'

/** Undefined members are left out. */
export type AdminQuery = Readonly<Record<string, string | number | boolean | undefined>>

export type AdminRequest =
  | {
      readonly get: string
      readonly query?: AdminQuery
      /** Waits for as long as the door takes. */
      readonly patient?: boolean
    }
  | { readonly post: string; readonly body: Readonly<Record<string, unknown>> }

export type AdminDoor = Pick<ProgramDependencies, 'fetch'> & {
  readonly url: string
  readonly adminKey: string
}

/** Throws CommandFailure: 1 when the door refuses, 3 when it is not there. */
export async function callAdminDoor(door: AdminDoor, request: AdminRequest): Promise<unknown> {
  const response = await askAdminDoor(door, request)
  const reply = await readJson(door, response)
  if (response.ok) return reply
  const refusal = describeRefusal(reply)
  if (refusal === null) throw notTheDoor(door, response)
  throw new CommandFailure(1, refusal)
}

/** For a reply that is not JSON: throws the same as `callAdminDoor` for one that is no success, or of another kind. */
export async function requireGoodReply(
  door: AdminDoor,
  response: Response,
  mediaType: string,
): Promise<void> {
  if (response.ok && response.headers.get('content-type')?.startsWith(mediaType) === true) return
  const refusal = response.ok ? null : describeRefusal(await readJson(door, response))
  throw refusal === null ? notTheDoor(door, response) : new CommandFailure(1, refusal)
}

/** The reply as it comes. Throws CommandFailure 3 when the door is not there. */
export async function askAdminDoor(
  { fetch, url, adminKey }: AdminDoor,
  request: AdminRequest,
): Promise<Response> {
  const headers = { authorization: `Bearer ${adminKey}`, accept: 'application/json' }
  try {
    // No redirects: the admin key goes to the address that was named and to no other.
    if ('post' in request) {
      return await fetch(`${url}${request.post}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(request.body),
      })
    }
    return await fetch(`${url}${request.get}${formatQuery(request.query ?? {})}`, {
      method: 'GET',
      redirect: 'manual',
      headers,
      ...(request.patient === true ? { timeout: false } : {}),
    })
  } catch (cause) {
    throw unreachable(url, cause)
  }
}

function formatQuery(query: AdminQuery): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value))
  }
  return parameters.size === 0 ? '' : `?${parameters}`
}

async function readJson(door: AdminDoor, response: Response): Promise<unknown> {
  const text = await response.text().catch(cause => {
    throw unreachable(door.url, cause)
  })
  try {
    return JSON.parse(text)
  } catch {
    throw notTheDoor(door, response)
  }
}

function unreachable(url: string, cause: unknown): CommandFailure {
  // The code alone: messages of `fetch` may repeat headers.
  const code = cause instanceof Error ? ('code' in cause ? String(cause.code) : cause.name) : 'unknown error'
  return new CommandFailure(
    3,
    `Cannot reach the admin door at ${url} (${code}). Start it with "fairgate serve", ` +
      'or say where it is with --url, FAIRGATE_ADMIN_URL or FAIRGATE_ADMIN_PORT.',
  )
}

function notTheDoor({ url }: AdminDoor, response: Response): CommandFailure {
  return new CommandFailure(
    3,
    `What answers at ${url} is not the admin door of a Fairgate server (HTTP ${response.status}). ` +
      'Check --url, FAIRGATE_ADMIN_URL and FAIRGATE_ADMIN_PORT.',
  )
}
