// The routes listed by a running server, with valid requests, so that new routes are tested automatically.
import type { OpenapiDocument, Operation, Parameter } from '../../src/http/openapi.ts'
import type { ShownSchema } from '../../src/http/reply-headers.ts'
import { followReferences } from '../../src/http/testing/follow-references.ts'
import { sampleEntry } from './logbook-client.ts'
import { sampleFiles } from './sample-files.ts'

export type DoorName = 'gateway' | 'logbook' | 'admin'

export const doorNames: readonly DoorName[] = ['gateway', 'logbook', 'admin']

export type DoorUrls = Readonly<Record<`${DoorName}Url`, string>>

export type DoorRoute = {
  readonly door: DoorName
  readonly method: string
  /** The path as in the document: `/models/{id}`. */
  readonly path: string
  /** True for an additional path of a route that is listed under its main one. */
  readonly isAlias: boolean
  /** Needs no credential. */
  readonly isOpen: boolean
  /** Whom it is for, if no organiser may call it. */
  readonly onlyFor: 'judges of the panel' | 'head judges' | null
  readonly parameters: readonly Parameter[]
  readonly body: ShownSchema | null
  readonly isForm: boolean
  /** Takes a file as it is. */
  readonly isFile: boolean
  /** The credential's usual header: bare, or `authorization` with a bearer token. */
  readonly credentialHeader: string
  /** All headers that it accepts the credential in. */
  readonly credentialHeaders: readonly string[]
  /** Allowed values of `error.code`, and success statuses. */
  readonly codes: readonly string[]
  readonly successes: readonly number[]
}

/**
 * Routes that a key or a token of the door opens. Those without a credential need a code or a ticket in the path, and have their own journey.
 * So have uploads in pieces, which need headers of their own, and routes of judges, which no organiser may call.
 */
export async function listDoorRoutes(urls: DoorUrls): Promise<DoorRoute[]> {
  const routes = await listEveryRoute(urls)
  return routes.filter(
    ({ path, isOpen, onlyFor }) => !isOpen && onlyFor === null && !path.includes('/upload/'),
  )
}

export async function listEveryRoute(urls: DoorUrls): Promise<DoorRoute[]> {
  const lists = doorNames.map(async door => {
    const response = await fetch(`${urls[`${door}Url`]}/openapi.json`)
    const document = followReferences(await response.json())
    return Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) =>
        describe(door, method, path, operation, document),
      ),
    )
  })
  return (await Promise.all(lists)).flat()
}

/** Headers for the credential, the usual one first. */
function headersOf({ components, security }: OpenapiDocument, operation: Operation): string[] {
  return (operation.security ?? security).flatMap(Object.keys).map(name => {
    const scheme = components.securitySchemes[name]
    return scheme?.type === 'apiKey' ? scheme.name : 'authorization'
  })
}

/** Headers with the secret at its place for the route. */
export function credentialFor(
  { credentialHeader }: Pick<DoorRoute, 'credentialHeader'>,
  secret: string,
): Record<string, string> {
  return credentialHeader === 'authorization'
    ? { authorization: `Bearer ${secret}` }
    : { [credentialHeader]: secret }
}

/** Routes with the vendor's bodies and errors. */
export function isPassThrough({ credentialHeader }: DoorRoute): boolean {
  return credentialHeader === 'x-vendor-api-key'
}

function describe(
  door: DoorName,
  method: string,
  path: string,
  operation: Operation,
  document: OpenapiDocument,
): DoorRoute {
  const credentialHeaders = headersOf(document, operation)
  const content = Object.entries(operation.requestBody?.content ?? {})
  const [mediaType, body] = content[0] ?? ['', null]
  return {
    door,
    method: method.toUpperCase(),
    path,
    isAlias: operation['x-alias-of'] !== undefined,
    isOpen: operation.security?.length === 0,
    onlyFor: readOnlyFor(operation),
    parameters: operation.parameters ?? [],
    // A file is not JSON.
    body: mediaType === 'application/octet-stream' ? null : (body?.schema ?? null),
    isForm: mediaType === 'multipart/form-data',
    isFile: mediaType === 'application/octet-stream',
    credentialHeader: credentialHeaders[0] ?? '',
    credentialHeaders,
    codes: operation['x-error-codes'],
    successes: Object.keys(operation.responses)
      .map(Number)
      .filter(status => status < 400),
  }
}

function readOnlyFor({ description = '' }: Operation): DoorRoute['onlyFor'] {
  if (description.endsWith('For judges of the panel.')) return 'judges of the panel'
  return description.endsWith('For head judges.') ? 'head judges' : null
}

/** A phase only for being extended. */
export const longPhase = { name: 'long', from: '2020-01-01T00:00', until: '2120-01-01T00:00' }

/** Names of members and parameters, with working values. */
export type NamedValues = Readonly<Record<string, unknown>>

/**
 * Needs a panel that has judged, results that are published, or a case of several people; their own journeys send these requests, and
 * check their replies.
 */
export function needsJudging({ path }: Pick<DoorRoute, 'path'>): boolean {
  return /^\/(judging\/(queue|teams|scores|order|sessions|entries|search|stream|sign-in|papers|results|rejudging)|results)|cases\/.*(appeal|decide)/.test(
    path,
  )
}

/** `prepareMember` then makes a person, which a team can have only once. */
export function namesMember({ path }: Pick<DoorRoute, 'path'>): boolean {
  return /people|claims|members|user/.test(path)
}

/** A person of a team and a working claim, for the routes that name them. */
export async function prepareMember(
  { path, method, door }: Pick<DoorRoute, 'path' | 'method'> & Partial<Pick<DoorRoute, 'door'>>,
  team_id: string,
  post: (path: string, body: object) => Promise<unknown>,
): Promise<NamedValues> {
  // On the gateway it shows the owner of the calling key.
  if (path === '/user/info' && door === 'admin') {
    const made: object = Object(await post('/people', { team_id, name: `Owner of ${team_id}` }))
    return { user_id: 'member_id' in made ? made.member_id : '' }
  }
  if (path.startsWith('/announcements')) {
    const text = 'Lunch is served.'
    const made: object = Object(method === 'DELETE' ? await post('/announcements', { text }) : {})
    return { text, announcement_id: 'announcement_id' in made ? made.announcement_id : '' }
  }
  if (path.startsWith('/self/announcements/')) {
    const made: object = Object(await post('/announcements', { text: 'Lunch is served.' }))
    return { announcement_id: 'announcement_id' in made ? made.announcement_id : '' }
  }
  if (path.startsWith('/webhooks')) {
    // A reserved host name, so nothing is sent.
    const url = 'https://hooks.invalid/fairgate'
    const isMaking = path === '/webhooks'
    const made: object = Object(isMaking ? {} : await post('/webhooks', { url }))
    return { url, webhook_id: 'webhook_id' in made ? made.webhook_id : '' }
  }
  if (path.startsWith('/wall_tokens')) {
    const made: object = Object(method === 'DELETE' ? await post('/wall_tokens', { name: 'Hall 1' }) : {})
    return { name: 'Hall 1', wall_token_id: 'wall_token_id' in made ? made.wall_token_id : '' }
  }
  if (path.startsWith('/notes')) {
    const note = { subject: 'team', team_id, text: 'Ask about the tests.' }
    const made: object = Object(path === '/notes' ? {} : await post('/notes', note))
    return { ...note, note_id: 'note_id' in made ? made.note_id : '' }
  }
  if (/^\/judging\/(judges\/|codes\/|conflicts)/.test(path)) {
    const name = `Judge of ${team_id}`
    const made: object = Object(await post('/judging/judges', { judges: [{ name }] }))
    const judges: readonly unknown[] = 'items' in made && Array.isArray(made.items) ? made.items : []
    const judge = judges.map(Object).find(item => item.name === name)
    if (method === 'DELETE') await post('/judging/codes', { judges: [judge?.judge_id] })
    return { team_id, reason: 'They know each other.', judge_id: judge?.judge_id }
  }
  if (/^(\/self)?\/cases/.test(path)) {
    const asked = { team_id, question: 'Who wrote the parser?' }
    const made: object = Object(path === '/cases' ? {} : await post('/cases', asked))
    const said = { text: 'Mina, with Codex.', decision: 'No effect.', reason: 'The log shows it.' }
    return { ...asked, ...said, case_id: 'case_id' in made ? made.case_id : '' }
  }
  if (path.startsWith('/admin_keys')) {
    const isMaking = path === '/admin_keys'
    const made: object = Object(
      isMaking ? {} : await post('/admin_keys', { name: `For ${method} ${path}`, role: 'judge' }),
    )
    return { name: 'A judge', role: 'judge', key_id: 'key_id' in made ? made.key_id : '' }
  }
  const isOfClaims = path.startsWith('/claims')
  if (!isOfClaims && !path.startsWith('/people')) return {}
  const made: object = Object(await post('/people', { team_id, name: `Member of ${team_id}` }))
  const isMaking = path === '/claims' && method === 'POST'
  const claims: object = isOfClaims && !isMaking ? Object(await post('/claims', { teams: [team_id] })) : {}
  const [claim] = 'items' in claims && Array.isArray(claims.items) ? claims.items : []
  return {
    name: `Another of ${team_id}`,
    teams: [team_id],
    ...(method === 'DELETE' ? { keys: 'block' } : {}),
    member_id: 'member_id' in made ? made.member_id : '',
    claim_id: claim?.claim_id,
  }
}

export type RoutedRequest = {
  readonly url: string
  readonly method: string
  readonly body: string | FormData | null
}

/** Builds a valid request: the required members, from `values`, and optional ones that change something. */
export function buildWorkingRequest(urls: DoorUrls, route: DoorRoute, values: NamedValues): RoutedRequest {
  return {
    url: `${urls[`${route.door}Url`]}${fillPath(route, values)}${fillQuery(route, values)}`,
    method: route.method,
    body: route.isFile
      ? 'Notes'
      : route.body === null
        ? null
        : writeBody(route, fillBody(route, route.body, values)),
  }
}

function writeBody({ isForm }: DoorRoute, body: unknown): string | FormData {
  if (!isForm) return JSON.stringify(body)
  const form = new FormData()
  for (const [name, value] of Object.entries(body ?? {}))
    form.append(name, sampleFiles[name]?.() ?? String(value))
  return form
}

/** Default values of members. */
const usual: NamedValues = { amount_nano: 1, reason: 'for a test', name: 'Somebody', judge_id: 'jdg_none' }
const usualParameters: NamedValues = { topics: 'event', q: 'word' }
/** A part of readiness that is checked without any call. */
const part = 'disk'
const condition_id = 'disk_short'
/** The id of the only entry that a test stores. */
const entryNames: NamedValues = { session_id: sampleEntry.session_id, seq: 1 }

/** True if the route shows an entry, which must have been stored before. */
export function needsEntry({ path }: Pick<DoorRoute, 'path'>): boolean {
  return path === '/logs/entry' || path.startsWith('/entries/') || /^(\/self)?\/sessions\//.test(path)
}
const changing: NamedValues = { team_alias: 'changed', key_alias: 'changed', max_budget: 7 }

function fillPath({ path }: DoorRoute, values: NamedValues): string {
  const [, verb = ''] = /:(\w+)$/.exec(path) ?? []
  const usual = path.includes('/operations/') ? video : 'mm-2.5-flash'
  const named: NamedValues = {
    part,
    condition_id,
    ...entryNames,
    ...values,
    model: modelOfVerb[verb] ?? usual,
  }
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(named[name])))
}

const video = 'video-3.0-generate-001'

/** Verbs of the pass-through that chat models do not have → a model that has them. */
const modelOfVerb: Readonly<Record<string, string>> = {
  predict: 'imggen-4',
  embedContent: 'mm-embedding-001',
  batchEmbedContents: 'mm-embedding-001',
  predictLongRunning: video,
}

/** Fills in parameters with a given value, and required ones with only one possible value. */
function fillQuery({ parameters }: DoorRoute, values: NamedValues): string {
  const query = new URLSearchParams()
  for (const { name, required, schema, in: place } of parameters) {
    if (place !== 'query') continue
    const only = required && Array.isArray(schema.enum) ? schema.enum[0] : undefined
    const value = name in values ? values[name] : required ? (only ?? usualParameters[name]) : undefined
    if (value !== undefined) query.set(name, String(value))
  }
  return query.size === 0 ? '' : `?${query}`
}

function fillBody(route: DoorRoute, schema: ShownSchema, values: NamedValues): unknown {
  if (Array.isArray(schema.examples) && route.path !== '/key/delete') return schema.examples[0]
  const required = [
    ...(Array.isArray(schema.required) ? schema.required.map(String) : []),
    ...(route.path === '/key/delete' ? ['keys'] : []),
  ]
  const given: NamedValues = { ...usual, ...values }
  const missing = required.filter(name => !(name in given))
  if (missing.length > 0) throw new Error(`${route.path}: give ${missing.join(', ')} a value in this test.`)
  const optional = Object.keys(changing).filter(name => name in Object(schema.properties))
  return {
    ...Object.fromEntries(required.map(name => [name, given[name]])),
    ...Object.fromEntries(optional.map(name => [name, changing[name]])),
  }
}

export type Reply = { readonly status: number; readonly code: string | null; readonly text: string }

/** `headers`: the credential in any form. */
export async function sendRouted(
  { url, method, body }: RoutedRequest,
  headers: Readonly<Record<string, string>>,
): Promise<Reply> {
  const response = await fetch(url, {
    method,
    headers: { ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }), ...headers },
    redirect: 'manual',
    ...(body === null ? {} : { body }),
  })
  const text = await readReply(response)
  return { status: response.status, code: codeOf(text), text }
}

/** The whole body, or the beginning of an endless stream. */
export async function readReply(response: Response): Promise<string> {
  if (!isEndless(response)) return response.text()
  const reader = response.body?.getReader()
  const piece = await reader?.read()
  await reader?.cancel()
  return new TextDecoder().decode(piece?.value)
}

/** True if it continues as long as someone reads. */
export function isEndless({ url, headers }: Response): boolean {
  const type = headers.get('content-type') ?? ''
  return (
    ['/stream', '/self/stream', '/judging/stream'].includes(new URL(url).pathname) &&
    type.startsWith('text/event-stream')
  )
}

export function codeOf(text: string): string | null {
  try {
    const { error } = JSON.parse(text) as {
      error?: { code?: string | number; details?: { domain?: string; reason?: string }[] }
    }
    // The vendor's format has our code as the reason in its details.
    if (typeof error?.code === 'string') return error.code
    return error?.details?.find(({ domain }) => domain === 'fairgate')?.reason ?? null
  } catch {
    return null
  }
}
