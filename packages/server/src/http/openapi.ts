// Builds a door's OpenAPI 3.1 document from its routes: the schemas shown are the ones that validate.
import { type ErrorCode, errorRegistry } from '@fairgate/contracts/errors/registry.ts'
import type { TSchema } from 'typebox'
import { propertiesOf } from './coerce-query.ts'
import {
  errorHeaders,
  everyReply,
  type ReplyHeader,
  replyHeaders,
  type ShownSchema,
} from './reply-headers.ts'
import { pathsOf, type ReplyForms, type Route } from './route.ts'
import type { RouteFamily, SecurityScheme } from './route-family.ts'
import { showPath } from './router.ts'

export type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly example?: string
  readonly schema: ShownSchema
}

export type Content = Readonly<Record<string, { readonly schema: ShownSchema }>>

export type ShownReply = {
  readonly description: string
  readonly headers: Readonly<Record<string, { readonly $ref: string }>>
  /** Absent for a reply without a body. */
  readonly content?: Content
}

export type RequestBody = { readonly required: true; readonly content: Content }

type Security = readonly Readonly<Record<string, readonly string[]>>[]

export type Operation = {
  readonly tags: readonly string[]
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  /** Only if it is not the door's own credential. */
  readonly security?: Security
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: RequestBody
  readonly responses: Readonly<Record<string, ShownReply>>
  /** The codes that `error.code` can have, in the order of their status. */
  readonly 'x-error-codes': readonly ErrorCode[]
  /** Set on a path that is an alias of another one. */
  readonly 'x-alias-of'?: string
}

/** Each operation in full, for the reference page; the served document has each repeated part once (share-components.ts). */
export type OpenapiDocument = {
  readonly openapi: '3.1.0'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly security: Security
  readonly tags: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>
    readonly schemas: Readonly<Record<string, ShownSchema>>
    readonly headers: Readonly<Record<string, { readonly description: string; readonly schema: ShownSchema }>>
  }
}

/** Replies of the runtime to any request, before a route is known. */
export const runtimeReplies: Operation['responses'] = {
  431: {
    description:
      'The request line and the headers have more than 16 KiB together, for example because of a long query. The connection is closed.',
    headers: {},
  },
}

type DescribedFamily = Omit<RouteFamily<never>, 'authenticate' | 'writeError'>

type DescribedRoute = Omit<Route<never>, 'handle' | 'family' | 'gate'> & { readonly family?: DescribedFamily }

export type DoorFacts = {
  readonly title: string
  readonly description: string
  /** The address for clients, without a trailing slash. */
  readonly publicUrl: string
  readonly securityScheme: SecurityScheme
  /** Other ways to send the same credential, by their names in the document. */
  readonly otherSecuritySchemes?: Readonly<Record<string, SecurityScheme>>
  readonly routes: readonly DescribedRoute[]
  /** Routes that need no credential. */
  readonly openRoutes?: readonly DescribedRoute[]
}

const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type', 'param', 'code'],
      properties: {
        message: { type: 'string', description: 'Human-readable' },
        type: { type: 'string', description: 'The type of error' },
        param: { type: ['string', 'null'], description: 'The request member at fault' },
        code: { type: 'string', enum: Object.keys(errorRegistry) },
      },
    },
  },
}

export function buildOpenapi(door: DoorFacts): OpenapiDocument {
  const paths: Record<string, Record<string, Operation>> = {}
  const open = new Set<DescribedRoute>(door.openRoutes ?? [])
  const routes = [...door.routes, ...open]
  for (const route of routes) {
    const described = describeRoute(route)
    for (const path of pathsOf(route)) {
      const shown = showPath(path)
      paths[shown] = {
        ...paths[shown],
        [route.method.toLowerCase()]: {
          ...describeAt(path, route, described),
          ...(open.has(route) ? { security: [] } : {}),
        },
      }
    }
  }
  const families = [...new Set(door.routes.flatMap(route => route.family ?? []))]
  return {
    openapi: '3.1.0',
    info: { title: door.title, version: '1', description: door.description },
    servers: [{ url: door.publicUrl }],
    security: ['credential', ...Object.keys(door.otherSecuritySchemes ?? {})].map(name => ({ [name]: [] })),
    tags: [...new Set(routes.map(route => route.tag))].map(name => describeTag(name, routes)),
    paths,
    components: {
      securitySchemes: {
        credential: door.securityScheme,
        ...door.otherSecuritySchemes,
        ...Object.assign({}, ...families.map(schemesOf)),
        ...Object.fromEntries(
          routes.flatMap(({ credential }) =>
            credential === undefined ? [] : [[credential.name, credential.scheme]],
          ),
        ),
      },
      schemas: {
        Error: errorSchema,
        ...Object.fromEntries(families.map(family => [errorName(family), { ...family.errorSchema }])),
      },
      headers: Object.fromEntries(
        [...sentBy(Object.values(paths).flatMap(each => Object.values(each)))].map(name => [
          name,
          replyHeaders[name],
        ]),
      ),
    },
  }
}

/** In the order of the registry. */
function sentBy(operations: readonly Operation[]): readonly ReplyHeader[] {
  const sent = new Set(
    operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ headers }) => Object.keys(headers)),
    ),
  )
  return headerNames.filter(name => sent.has(name))
}

const headerNames = Object.keys(replyHeaders) as ReplyHeader[]

/** A tag describes authentication if all its routes share a credential of their own. */
function describeTag(name: string, routes: readonly DescribedRoute[]) {
  const families = new Set(routes.filter(({ tag }) => tag === name).map(({ family }) => family))
  const [family] = families
  return families.size === 1 && family !== undefined ? { name, description: family.description } : { name }
}

/** The credential's schemes by name, the usual one first. */
function schemesOf(family: DescribedFamily): Readonly<Record<string, SecurityScheme>> {
  return { [family.name]: family.securityScheme, ...family.otherSecuritySchemes }
}

/** Any one of them is enough. */
function listSecurity(family: DescribedFamily, path: string): Security {
  const own = Object.keys(schemesOf(family))
  const names = family.takesDoorCredential?.(path) === true ? [...own, 'credential'] : own
  return names.map(name => ({ [name]: [] }))
}

/** The parts that are the same on all its paths. */
type DescribedOnce = Pick<Operation, 'requestBody' | 'responses' | 'x-error-codes'> & {
  readonly parameters: readonly Parameter[]
}

function describeRoute(route: DescribedRoute): DescribedOnce {
  const codes = listErrors(route)
  return {
    parameters: [...describeParameters('query', route.query), ...describeParameters('header', route.headers)],
    ...(route.body === undefined
      ? {}
      : { requestBody: { required: true, content: describeBody(route, route.body) } }),
    responses: { ...describeReplies(route), ...describeErrors(codes, route), ...runtimeReplies },
    'x-error-codes': codes,
  }
}

function describeAt(
  path: string,
  route: DescribedRoute,
  { parameters: further, ...described }: DescribedOnce,
): Operation {
  const parameters = [...describePathParameters(path, route.pathExamples), ...further]
  return {
    tags: [route.tag],
    operationId: `${route.method.toLowerCase()}${showPath(path)
      .replaceAll(/[^A-Za-z0-9]+/g, '_')
      .replace(/_$/, '')}`,
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    ...(route.family === undefined ? {} : { security: listSecurity(route.family, path) }),
    ...(route.credential === undefined ? {} : { security: [{ [route.credential.name]: [] }] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...described,
    ...(path === route.path ? {} : { 'x-alias-of': showPath(route.path) }),
  }
}

function describePathParameters(path: string, examples: Readonly<Record<string, string>> = {}): Parameter[] {
  return [...showPath(path).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...(examples[name] === undefined ? {} : { example: examples[name] }),
    schema: { type: 'string' },
  }))
}

function describeParameters(place: 'query' | 'header', object: TSchema | undefined): Parameter[] {
  if (object === undefined) return []
  const required = 'required' in object && Array.isArray(object.required) ? object.required : []
  return Object.entries(propertiesOf(object)).map(([name, schema]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...('description' in schema ? { description: String(schema.description) } : {}),
    schema: { ...schema },
  }))
}

function describeReplies({ replies, replyHeaders: own = [] }: DescribedRoute): Operation['responses'] {
  return Object.fromEntries(
    Object.entries(replies).map(([status, reply]) => [
      status,
      { ...describeForms(reply), headers: describeHeaders(own) },
    ]),
  )
}

function describeForms(reply: ReplyForms): Pick<ShownReply, 'description' | 'content'> {
  if (typeof reply === 'string') return { description: reply }
  const forms: readonly TSchema[] = Array.isArray(reply) ? reply : [reply]
  const described = forms.flatMap(form => ('description' in form ? [String(form.description)] : []))
  return { description: described[0] ?? 'Success', content: describeContent(forms) }
}

function describeContent(forms: readonly TSchema[]): Content {
  return Object.fromEntries(
    forms.map(form => [
      'contentMediaType' in form ? String(form.contentMediaType) : 'application/json',
      { schema: { ...form } },
    ]),
  )
}

function describeHeaders(own: readonly ReplyHeader[]): ShownReply['headers'] {
  const sent = new Set([...everyReply, ...own])
  const shown = headerNames.filter(name => sent.has(name))
  return Object.fromEntries(shown.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}

/** The errors that the route declares, and those of the door itself on any route. */
function listErrors(route: DescribedRoute): ErrorCode[] {
  const ofQuery: ErrorCode[] = route.query === undefined ? [] : ['invalid_request']
  const ofBody: ErrorCode[] =
    route.body === undefined
      ? []
      : [
          'invalid_request',
          'invalid_json',
          'unsupported_media_type',
          'payload_too_large',
          'body_bytes_exceeded',
          'unavailable',
        ]
  const codes = new Set<ErrorCode>([...route.errors, ...ofQuery, ...ofBody, 'internal'])
  return [...codes].sort((left, right) => errorRegistry[left].status - errorRegistry[right].status)
}

/** The schema of the error body, by its name in the document. */
function errorName(family: DescribedFamily | undefined): string {
  return family === undefined ? 'Error' : `${family.name}Error`
}

function describeErrors(codes: readonly ErrorCode[], route: DescribedRoute): Operation['responses'] {
  const ofFamily = { $ref: `#/components/schemas/${errorName(route.family)}` }
  const content =
    route.errorForm === undefined
      ? { 'application/json': { schema: ofFamily } }
      : describeContent([route.errorForm])
  const headersOf = (code: ErrorCode) => [
    ...(errorHeaders[code] ?? []),
    ...(route.errorReplyHeaders?.[code] ?? []),
    ...(route.family?.errorReplyHeaders ?? []),
  ]
  const byStatus = Map.groupBy(codes, code => errorRegistry[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [
      status,
      {
        description: list.map(code => `\`${code}\`: ${errorRegistry[code].message}`).join('\n\n'),
        headers: describeHeaders(list.flatMap(headersOf)),
        content,
      },
    ]),
  )
}

function describeBody({ bodyKind }: Pick<Route<never>, 'bodyKind'>, body: TSchema): Content {
  const content = { schema: { ...body } }
  if (bodyKind === 'raw') return { 'application/octet-stream': content }
  if (bodyKind === 'form' || bodyKind === 'form-stream') return { 'multipart/form-data': content }
  if (bodyKind === 'json-or-form') return { 'application/json': content, 'multipart/form-data': content }
  return { 'application/json': content }
}
