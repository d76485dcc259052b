// The served document has the same meaning as the full one, with each part once.
import { expect, test } from 'bun:test'
import Type from 'typebox'
import { buildOpenapi } from './openapi.ts'
import { defineRoute } from './route.ts'
import { shareComponents } from './share-components.ts'
import { followReferences } from './testing/follow-references.ts'

const long = (what: string) => `${what} ${'and so on '.repeat(40)}`
const message = Type.Object({ text: Type.String({ description: long('A text') }) })
const body = Type.Object({ messages: Type.Array(message), short: Type.Array(Type.String()) })
const facts = { method: 'POST', tag: 'Chat', summary: 'A turn', handle: () => new Response() } as const

const routes = [
  defineRoute<null, typeof body, undefined>({
    ...facts,
    path: '/v1/chat',
    aliases: ['/chat'],
    headers: Type.Object({ 'Idempotency-Key': Type.String({ description: long('Any text') }) }),
    body,
    replies: { 200: Type.Object({ last: message }) },
    errors: ['rpm_exceeded', 'tpm_exceeded'],
  }),
  defineRoute<null, undefined, undefined>({
    ...facts,
    path: '/messages/:id',
    replies: { 200: Type.Object({ message }) },
    errors: ['rpm_exceeded'],
  }),
]
const document = buildOpenapi({
  title: 'The door',
  description: 'A door',
  publicUrl: 'https://gateway.example',
  securityScheme: { type: 'http', scheme: 'bearer' },
  routes,
})
const served = JSON.parse(JSON.stringify(shareComponents(document)))

test('with its references resolved it is the full document', () => {
  const full = followReferences(JSON.parse(JSON.stringify(document)))
  expect(followReferences(served).paths).toEqual(full.paths)
  expect(followReferences(served).components).toMatchObject({ ...full.components })
})

test('an alias refers to the requests and replies of its route, and keeps its own parts', () => {
  const [own, alias] = [served.paths['/v1/chat'].post, served.paths['/chat'].post]
  expect(own.requestBody).toEqual({ $ref: '#/components/requestBodies/post_v1_chat' })
  expect(own.parameters).toEqual([{ $ref: '#/components/parameters/Idempotency-Key' }])
  expect(own.responses['200']).toEqual({ $ref: '#/components/responses/post_v1_chat_200' })
  expect(own.responses['500']).toEqual({ $ref: '#/components/responses/Error500' })
  expect(alias).toEqual({ ...own, operationId: 'post_chat', 'x-alias-of': '/v1/chat' })
})

test('different replies of one status have their own names; a part used once stays in place', () => {
  const { responses } = served.paths['/messages/{id}'].post
  expect(responses['500']).toEqual({ $ref: '#/components/responses/Error500' })
  expect(responses['429'].description).toContain('rpm_exceeded')
  expect(responses['429'].description).not.toContain('tpm_exceeded')
  expect(served.paths['/v1/chat'].post.responses['429']).toEqual({ $ref: '#/components/responses/Error429' })
})

test('a schema that occurs in multiple others is one component, regardless of its surroundings', () => {
  const reference = { $ref: '#/components/schemas/post_v1_chat_messages' }
  const { schemas, requestBodies, responses } = served.components
  const { properties } = requestBodies.post_v1_chat.content['application/json'].schema
  expect(properties.messages.items).toEqual(reference)
  expect(properties.short.items).toEqual({ type: 'string' })
  expect(responses.post_v1_chat_200.content['application/json'].schema.properties.last).toEqual(reference)
  expect(schemas.post_v1_chat_messages.properties.text.description).toStartWith('A text')
  expect(schemas.Error).toBeDefined()
})
