// Makes one request to the admin door. The reply is returned in full or as a stream; a failure explains why there is none.
import { showLine } from '@fairgate/contracts/text/show-hidden.ts'
import Type from 'typebox'
import { Value } from 'typebox/value'
import { CommandFailure } from '../command-failure.ts'
import type { ProgramDependencies } from '../dependencies.ts'
import { suggestTeam } from './suggest-team.ts'

/** Undefined members are left out. */
export type AdminQuery = Readonly<Record<string, unknown>>

export type AdminRequest =
  | {
      readonly get: string
      readonly query?: AdminQuery
      /** Waits for as long as the door takes. */
      readonly patient?: boolean
    }
  | { readonly post: string; readonly body: Readonly<Record<string, unknown>> }
  | { readonly delete: string; readonly query?: AdminQuery }
  | { readonly put: string; readonly body: Readonly<Record<string, unknown>> }

export type AdminDoor = Pick<ProgramDependencies, 'fetch'> & {
  readonly url: string
  readonly adminKey: string
}

/** Throws CommandFailure: 1 if the door refuses, 3 if it is unreachable. */
export async function callAdminDoor(door: AdminDoor, request: AdminRequest): Promise<unknown> {
  const route = readRoute(request)
  const response = await sendRequest(door, route)
  if (!response.ok) throw await readRefusal(door, route, response)
  return await readJson(door, response)
}

export type AdminStream = AsyncIterable<Uint8Array>

/**
 * For a reply that is not JSON, of any length. Throws CommandFailure: 1 if the door refuses; 3 if it is unreachable, if the reply has another
 * media type, or if the reply ends early, which is thrown while it is read.
 */
export async function streamAdminDoor(
  door: AdminDoor,
  path: string,
  query: AdminQuery,
  mediaType: string,
): Promise<AdminStream> {
  const route: AdminRoute = { method: 'GET', path: `${path}${formatQuery(query)}`, patient: true }
  const response = await sendRequest(door, route)
  if (!response.ok) throw await readRefusal(door, route, response)
  if (response.headers.get('content-type')?.startsWith(mediaType) === true) return readPieces(door, response)
  throw notTheDoor(door, response)
}

async function* readPieces({ url }: AdminDoor, response: Response): AsyncGenerator<Uint8Array, void> {
  if (response.body === null) return
  try {
    yield* response.body
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    throw new CommandFailure(3, `The reply of ${url} ended early (${code}).`)
  }
}

/** A route by its method and path; the path has its query. */
export type AdminRoute = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
  /** Waits for as long as the door takes. */
  readonly patient?: boolean
}

/**
 * For routes that this version need not know. Waits for as long as the door needs. Throws CommandFailure: 1 if the door refuses, 3 if it is
 * unreachable, or if a page for browsers answers.
 */
export async function callRoute(
  door: AdminDoor,
  route: AdminRoute,
): Promise<{ readonly json: unknown } | { readonly stream: AdminStream; readonly isCsv: boolean }> {
  const response = await sendRequest(door, { ...route, patient: true })
  const mediaType = response.headers.get('content-type') ?? ''
  if (!response.ok) throw await readRefusal(door, route, response)
  if (mediaType.startsWith('application/json')) return { json: await readJson(door, response) }
  if (mediaType.startsWith('text/html')) throw notTheDoor(door, response)
  return { stream: readPieces(door, response), isCsv: mediaType.startsWith('text/csv') }
}

function readRoute(request: AdminRequest): AdminRoute {
  if ('post' in request) return { method: 'POST', path: request.post, body: request.body }
  if ('put' in request) return { method: 'PUT', path: request.put, body: request.body }
  const query = formatQuery(request.query ?? {})
  if ('delete' in request) return { method: 'DELETE', path: `${request.delete}${query}` }
  return { method: 'GET', path: `${request.get}${query}`, patient: request.patient === true }
}

/** The reply as it arrives. Throws CommandFailure 3 if the door is unreachable. */
async function sendRequest(
  { fetch, url, adminKey }: AdminDoor,
  { method, path, body, patient = false }: AdminRoute,
): Promise<Response> {
  const headers = { authorization: `Bearer ${adminKey}`, accept: 'application/json' }
  try {
    return await fetch(`${url}${path}`, {
      method,
      // Without redirects the admin key goes only to the named address.
      redirect: 'manual',
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(patient ? { timeout: false } : {}),
    })
  } catch (cause) {
    throw unreachable(url, cause)
  }
}

/** With its question mark; empty without parameters. */
export function formatQuery(query: AdminQuery): string {
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
  // Only the code is shown: messages of `fetch` may repeat headers.
  const code = cause instanceof Error ? ('code' in cause ? String(cause.code) : cause.name) : 'unknown error'
  return new CommandFailure(
    3,
    `Cannot reach the admin door at ${url} (${code}). Start it with "fairgate serve", ` +
      'or name its address with --url, FAIRGATE_ADMIN_URL or FAIRGATE_ADMIN_PORT.',
  )
}

function notTheDoor({ url }: AdminDoor, response: Response): CommandFailure {
  return new CommandFailure(
    3,
    `The server at ${url} is not the admin door of Fairgate (HTTP ${response.status}). ` +
      'Check --url, FAIRGATE_ADMIN_URL and FAIRGATE_ADMIN_PORT.',
  )
}

/** Checks only the printed members, with any code: a newer server may have more codes. */
const errorBodySchema = Type.Object({
  error: Type.Object({
    message: Type.String(),
    code: Type.String(),
    param: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  }),
})

/** The refusal in the reply. For an unknown team it suggests teams with a similar name. */
async function readRefusal(door: AdminDoor, route: AdminRoute, response: Response): Promise<CommandFailure> {
  const reply = await readJson(door, response)
  if (!Value.Check(errorBodySchema, reply)) return notTheDoor(door, response)
  const { code, message, param = null } = reply.error
  const line = showLine(`${code}: ${message}`)
  const failure = new CommandFailure(1, param === null ? line : `${line}\nparam: ${showLine(param)}`)
  // A name with a space, such as that of the team, is no id at all.
  if (code !== 'team_not_found' && param !== 'team_id') return failure
  const listTeams = () => callAdminDoor(door, { get: '/team/list' })
  return await suggestTeam(failure, route, listTeams).catch(() => failure)
}
