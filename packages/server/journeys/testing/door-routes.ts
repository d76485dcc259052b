// The routes that a running server lists, with requests that would work: so a new route is tested by itself.
import type { OpenapiDocument, Operation, Parameter, ShownSchema } from '../../src/http/openapi.ts'
import { followReferences } from '../../src/http/testing/follow-references.ts'
import { sampleFiles } from './sample-files.ts'

export type DoorName = 'gateway' | 'logbook' | 'admin'

export const doorNames: readonly DoorName[] = ['gateway', 'logbook', 'admin']

export type DoorUrls = Readonly<Record<`${DoorName}Url`, string>>

export type DoorRoute = {
  readonly door: DoorName
  readonly method: string
  /** As the document shows it: `/models/{id}`. */
  readonly path: string
  /** True for a further path of a route that is listed under its own. */
  readonly isAlias: boolean
  readonly parameters: readonly Parameter[]
  readonly body: ShownSchema | null
  readonly isForm: boolean
  /** The header that takes the credential: bare, or as bearer token in `authorization`. */
  readonly credentialHeader: string
  /** Whether it takes the credential as bearer token, be it besides another header. */
  readonly takesBearer: boolean
  /** What `error.code` may be, and the statuses of success. */
  readonly codes: readonly string[]
  readonly successes: readonly number[]
}

export async function listDoorRoutes(urls: DoorUrls): Promise<DoorRoute[]> {
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

/** The headers that take the credential, the usual one first. */
function headersOf({ components, security }: OpenapiDocument, operation: Operation): string[] {
  return (operation.security ?? security).flatMap(Object.keys).map(name => {
    const scheme = components.securitySchemes[name]
    return scheme?.type === 'apiKey' ? scheme.name : 'authorization'
  })
}

/** The secret where the route takes it. */
export function credentialFor(
  { credentialHeader }: Pick<DoorRoute, 'credentialHeader'>,
  secret: string,
): Record<string, string> {
  return credentialHeader === 'authorization'
    ? { authorization: `Bearer ${secret}` }
    : { [credentialHeader]: secret }
}

/** Routes whose bodies and errors are those of the vendor. */
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
  const [credentialHeader = '', ...others] = headersOf(document, operation)
  const content = Object.entries(operation.requestBody?.content ?? {})
  const [mediaType, body] = content[0] ?? ['', null]
  return {
    door,
    method: method.toUpperCase(),
    path,
    isAlias: operation['x-alias-of'] !== undefined,
    parameters: operation.parameters ?? [],
    body: body?.schema ?? null,
    isForm: mediaType === 'multipart/form-data',
    credentialHeader,
    takesBearer: [credentialHeader, ...others].includes('authorization'),
    codes: operation['x-error-codes'],
    successes: Object.keys(operation.responses)
      .map(Number)
      .filter(status => status < 400),
  }
}

/** What the members and parameters of requests are called, and what makes them work. */
export type NamedValues = Readonly<Record<string, unknown>>

export type RoutedRequest = {
  readonly url: string
  readonly method: string
  readonly body: string | FormData | null
}

/** Would work: the required members, from `values`, and those optional ones that change something. */
export function buildWorkingRequest(urls: DoorUrls, route: DoorRoute, values: NamedValues): RoutedRequest {
  return {
    url: `${urls[`${route.door}Url`]}${fillPath(route, values)}${fillQuery(route, values)}`,
    method: route.method,
    body: route.body === null ? null : writeBody(route, fillBody(route, route.body, values)),
  }
}

function writeBody({ isForm }: DoorRoute, body: unknown): string | FormData {
  if (!isForm) return JSON.stringify(body)
  const form = new FormData()
  for (const [name, value] of Object.entries(body ?? {}))
    form.append(name, sampleFiles[name]?.() ?? String(value))
  return form
}

const changing: NamedValues = { team_alias: 'changed', key_alias: 'changed', max_budget: 7 }

function fillPath({ path }: DoorRoute, values: NamedValues): string {
  const [, verb = ''] = /:(\w+)$/.exec(path) ?? []
  const usual = path.includes('/operations/') ? video : 'mm-2.5-flash'
  const named: NamedValues = { ...values, model: modelOfVerb[verb] ?? usual }
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

/** What is given a value, and what must be given and has but one. */
function fillQuery({ parameters }: DoorRoute, values: NamedValues): string {
  const query = new URLSearchParams()
  for (const { name, required, schema, in: place } of parameters) {
    if (place !== 'query') continue
    const only = required && Array.isArray(schema.enum) ? schema.enum[0] : undefined
    const value = name in values ? values[name] : only
    if (value !== undefined) query.set(name, String(value))
  }
  return query.size === 0 ? '' : `?${query}`
}

function fillBody(route: DoorRoute, schema: ShownSchema, values: NamedValues): unknown {
  if (Array.isArray(schema.examples)) return schema.examples[0]
  const required = Array.isArray(schema.required) ? schema.required.map(String) : []
  const missing = required.filter(name => !(name in values))
  if (missing.length > 0) throw new Error(`${route.path}: give ${missing.join(', ')} a value in this test.`)
  const optional = Object.keys(changing).filter(name => name in Object(schema.properties))
  return {
    ...Object.fromEntries(required.map(name => [name, values[name]])),
    ...Object.fromEntries(optional.map(name => [name, changing[name]])),
  }
}

export type Reply = { readonly status: number; readonly code: string | null; readonly text: string }

/** `headers`: the credential, in whatever form. */
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
  const text = await response.text()
  return { status: response.status, code: codeOf(text), text }
}

export function codeOf(text: string): string | null {
  try {
    const { error } = JSON.parse(text) as {
      error?: { code?: string | number; details?: { domain?: string; reason?: string }[] }
    }
    // The vendor's shape names our code as the reason of its details.
    if (typeof error?.code === 'string') return error.code
    return error?.details?.find(({ domain }) => domain === 'fairgate')?.reason ?? null
  } catch {
    return null
  }
}
