// The OpenAPI document and the reference page: complete, consistent, and safe to show.
import { describe, expect, test } from 'bun:test'
import { errorRegistry } from '@fairgate/contracts/errors/registry.ts'
import Type from 'typebox'
import { createDocsPage } from './docs-page.ts'
import { buildOpenapi } from './openapi.ts'
import { defineRoute } from './route.ts'

const hostile = '<script>alert("x")</script>'
const body = Type.Object({
  model: Type.String({ description: `Which ${hostile}`, maxLength: 200 }),
  messages: Type.Array(
    Type.Object({
      role: Type.Enum(['user']),
      content: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    }),
  ),
})
const query = Type.Object({
  team_id: Type.String({ description: 'From the key record' }),
  q: Type.Optional(Type.String({ examples: ['a "b [" +1,2'] })),
  limit: Type.Optional(Type.Integer()),
})

const chat = defineRoute<null, typeof body, undefined>({
  method: 'POST',
  path: '/v1/chat',
  aliases: ['/chat'],
  tag: 'Chat & more',
  summary: `A turn ${hostile}`,
  description: "It's a turn",
  body,
  replies: { 200: Type.Object({ id: Type.String() }) },
  errors: ['rpm_exceeded', 'tpm_exceeded', 'invalid_api_key'],
  handle: () => new Response(),
})
const model = defineRoute<null, undefined, typeof query>({
  method: 'GET',
  path: '/models/:id',
  tag: 'Models',
  summary: 'One model',
  query,
  headers: Type.Object({ 'Idempotency-Key': Type.Optional(Type.String({ maxLength: 255 })) }),
  replies: { 200: Type.String({ contentMediaType: 'text/csv' }) },
  errors: ['model_not_found'],
  errorForm: Type.String({ contentMediaType: 'text/html' }),
  handle: () => new Response(),
})
const document = buildOpenapi({
  title: 'The door',
  description: hostile,
  publicUrl: 'https://gateway.example',
  securityScheme: { type: 'http', scheme: 'bearer', description: 'A gateway key' },
  routes: [chat, model],
})

describe('the document', () => {
  const shown = JSON.parse(JSON.stringify(document))

  test('is OpenAPI 3.1 with server, security and all paths, aliases included', () => {
    expect(shown).toMatchObject({
      openapi: '3.1.0',
      servers: [{ url: 'https://gateway.example' }],
      security: [{ credential: [] }],
    })
    expect(Object.keys(shown.paths)).toEqual(['/v1/chat', '/chat', '/models/{id}'])
    expect(shown.paths['/chat'].post['x-alias-of']).toBe('/v1/chat')
    expect(shown.components.securitySchemes.credential.scheme).toBe('bearer')
  })

  test('names the form of errors that a route writes in its own way', () => {
    const formsOf = (path: string, method: string) =>
      Object.keys(shown.paths[path][method].responses[500].content)
    expect(formsOf('/v1/chat', 'post')).toEqual(['application/json'])
    expect(formsOf('/models/{id}', 'get')).toEqual(['text/html'])
  })

  test('has one operation id per operation and a parameter for each path segment', () => {
    const operations = Object.values<Record<string, { operationId: string }>>(shown.paths).flatMap(each =>
      Object.values(each),
    )
    const ids = operations.map(each => each.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toContain('get_models_id')
    expect(shown.paths['/models/{id}'].get.parameters).toMatchObject([
      { name: 'id', in: 'path', required: true },
      { name: 'team_id', in: 'query', required: true, description: 'From the key record' },
      { name: 'q', in: 'query', required: false },
      { name: 'limit', in: 'query', required: false },
      { name: 'Idempotency-Key', in: 'header', required: false, schema: { maxLength: 255 } },
    ])
  })

  test('shows the schemas used for validation, and the media type of other replies', () => {
    expect(shown.paths['/v1/chat'].post.requestBody.content['application/json'].schema.required).toEqual([
      'model',
      'messages',
    ])
    expect(Object.keys(shown.paths['/models/{id}'].get.responses['200'].content)).toEqual(['text/csv'])
  })

  test('groups errors by status, including those of the door, and every reference resolves', () => {
    const { responses } = shown.paths['/v1/chat'].post
    expect(Object.keys(responses)).toEqual(['200', '400', '401', '413', '415', '429', '431', '500', '503'])
    expect(responses['429'].description).toContain('`tpm_exceeded`')
    const references = [...JSON.stringify(shown).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)]
    expect(references.length).toBeGreaterThan(0)
    for (const [, group = '', name = ''] of references) expect(shown.components[group][name]).toBeDefined()
    expect(shown.components.schemas.Error.properties.error.properties.code.enum).toEqual(
      Object.keys(errorRegistry),
    )
  })
})

describe('the page', () => {
  const page = createDocsPage(document)()

  test('escapes everything and has no scripts', () => {
    expect(page).not.toContain('<script')
    expect(page).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;')
    expect(page).toContain('It&#39;s a turn')
    expect(page).toContain('Chat &amp; more')
    expect(page).not.toMatch(/ (on\w+|style)=/)
  })

  test('shows each route once, with fields, parameters, errors and a curl example', () => {
    expect(page.match(/<article/g)).toHaveLength(2)
    expect(page).toContain('Also at <code>/chat</code>')
    expect(page).toContain('messages[].<wbr>content')
    expect(page).toContain('string or null')
    expect(page).toContain('At most 200 characters.')
    expect(page).toContain('<code>tpm_exceeded</code>')
    expect(page).toContain('/models/&lt;id&gt;?team_id=&lt;team_id&gt;&amp;q=a%20%22b%20%5B%22%20%2B1,2&#39;')
    expect(page).toContain(
      '{&quot;model&quot;:&quot;&lt;model&gt;&quot;,&quot;messages&quot;:[{&quot;role&quot;:&quot;user&quot;}]}',
    )
  })
})
