// Checks replies against the document of their door: statuses, headers, media types and bodies must be declared there.
import { Compile } from 'typebox/schema'
import type { OpenapiDocument, ShownReply } from '../../src/http/openapi.ts'
import type { ShownSchema } from '../../src/http/reply-headers.ts'
import { followReferences } from '../../src/http/testing/follow-references.ts'
import { type DoorUrls, doorNames } from './door-routes.ts'

/** HTTP's own headers, which OpenAPI leaves out. */
const transport = new Set([
  'content-type',
  'content-length',
  'date',
  'connection',
  'transfer-encoding',
  'keep-alive',
])

export type ReplyCheck = {
  /** Describes what is not as declared. Without a method, any operation on the path counts. */
  readonly find: (response: Response, body: string, method?: string) => string[]
  /** Names of the headers that have been seen, besides HTTP's own. */
  readonly seen: ReadonlySet<string>
  /** Names of the headers that the documents describe. */
  readonly described: ReadonlySet<string>
}

type Declared = {
  readonly pattern: RegExp
  readonly method: string
  readonly responses: Readonly<Record<string, ShownReply>>
}

export async function createReplyCheck(...servers: readonly DoorUrls[]): Promise<ReplyCheck> {
  const seen = new Set<string>()
  const doors = await Promise.all(
    servers
      .flatMap(urls => doorNames.map(door => urls[`${door}Url`]))
      .map(async url => {
        return { url, document: followReferences(await (await fetch(`${url}/openapi.json`)).json()) }
      }),
  )
  const declared = new Map(doors.map(({ url, document }) => [url, listDeclared(document)]))

  const find: ReplyCheck['find'] = (response, body, method) => {
    const { origin, pathname } = new URL(response.url)
    const reply = declared
      .get(origin)
      ?.filter(each => method === undefined || each.method === method.toLowerCase())
      .find(each => each.pattern.test(pathname))?.responses[response.status]
    const place = `${method ?? ''} ${pathname} ${response.status}`.trim()
    if (reply === undefined) return [`${place}: this status is not declared`]
    const names = [...response.headers.keys()].filter(name => !transport.has(name))
    for (const name of names) seen.add(name)
    const undeclared = names.filter(name => !(name in reply.headers))
    return [
      ...undeclared.map(name => `${place}: the header ${name} is not declared`),
      ...findInBody(reply, response.headers.get('content-type'), body).map(text => `${place}: ${text}`),
    ]
  }
  return {
    find,
    seen,
    described: new Set(doors.flatMap(({ document }) => Object.keys(document.components.headers))),
  }
}

function listDeclared({ paths }: OpenapiDocument): Declared[] {
  return Object.entries(paths).flatMap(([path, operations]) => {
    const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/:]+')}$`)
    return Object.entries(operations).map(([method, { responses }]) => ({ pattern, method, responses }))
  })
}

function findInBody({ content }: ShownReply, contentType: string | null, body: string): string[] {
  if (content === undefined) return body === '' ? [] : ['there is a body']
  const mediaType = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  const form = content[mediaType]
  if (form === undefined) return [`the media type ${mediaType} is not declared`]
  if (mediaType === 'application/json') return findInJson(form.schema, body)
  if (mediaType !== 'text/event-stream') return []
  const events = [...body.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => data)
  return events.filter(data => data !== '[DONE]').flatMap(data => findInJson(form.schema, data))
}

function findInJson(schema: ShownSchema, text: string): string[] {
  const [isRight, errors] = Compile(schema).Errors(JSON.parse(text))
  return isRight
    ? []
    : errors.map(({ instancePath, message }) => `the body is not as declared: ${instancePath} ${message}`)
}
