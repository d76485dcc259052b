// Blocks of a message in Anthropic format: text, media, reasoning, calls and their results. Agents add block types every month, so
// blocks of unknown types are accepted and ignored.
import Type, { type Static, type TSchema } from 'typebox'
import { orNull } from '../or-null.ts'

/** Far above honest use. The size of the body is what limits a request. */
const maxBlocks = 3000
const longestAddress = 8192

const text = Type.Object({ type: Type.Literal('text'), text: Type.String() })

const base64 = Type.Object({
  type: Type.Literal('base64'),
  media_type: Type.String({ maxLength: 100, description: 'Such as `image/png`' }),
  data: Type.String({ description: 'Base64' }),
})
const address = Type.Object({
  type: Type.Literal('url'),
  url: Type.String({ maxLength: longestAddress, description: 'An https address, which the gateway fetches' }),
})
const plainText = Type.Object({ type: Type.Literal('text'), data: Type.String() })

const storedFile = Type.Object({
  type: Type.Literal('file'),
  file_id: Type.String({ maxLength: 500, description: 'Id of an uploaded file' }),
})

const image = Type.Object({
  type: Type.Literal('image'),
  source: union([base64, address, storedFile], 'PNG, JPEG, WebP, HEIC or HEIF'),
})

const document = Type.Object({
  type: Type.Literal('document'),
  source: union(
    [
      base64,
      plainText,
      storedFile,
      Type.Object({
        type: Type.Literal('content'),
        content: Type.Union([Type.String(), list([text, image])]),
      }),
    ],
    'A PDF as base64, plain text, or blocks',
  ),
  title: orNull(Type.String()),
  context: orNull(Type.String()),
})

const searchResult = Type.Object({
  type: Type.Literal('search_result'),
  source: Type.String(),
  title: Type.String(),
  content: Type.Array(text, { maxItems: maxBlocks }),
})

const toolReference = Type.Object({ type: Type.Literal('tool_reference'), tool_name: Type.String() })

/** Long enough for the ids of services that put state into them. */
const callId = Type.String({ minLength: 1, maxLength: 1_048_576 })

const toolResult = Type.Object({
  type: Type.Literal('tool_result'),
  tool_use_id: callId,
  content: Type.Optional(
    Type.Union([Type.String(), list([text, image, document, searchResult, toolReference]), Type.Null()]),
  ),
  is_error: orNull(Type.Boolean()),
})

const thinking = Type.Object({
  type: Type.Literal('thinking'),
  thinking: orNull(Type.String({ description: 'Not read' })),
  signature: orNull(
    Type.String({
      maxLength: 4_194_304,
      description: 'As returned in the answer; contains model state',
    }),
  ),
})

const toolUse = Type.Object({
  type: Type.Literal('tool_use'),
  id: callId,
  name: Type.String({ minLength: 1, maxLength: 1000 }),
  input: Type.Optional(Type.Unknown({ description: 'An object' })),
})

export const userContent = Type.Union([
  Type.String(),
  list([text, image, document, searchResult, toolResult]),
])
export const assistantContent = Type.Union([Type.String(), list([text, thinking, toolUse])])
export const textBlocks = list([text])
export const textContent = Type.Union([Type.String(), textBlocks])

export type UserBlock = Exclude<Static<typeof userContent>, string>[number]
export type AssistantBlock = Exclude<Static<typeof assistantContent>, string>[number]
export type TextContent = Static<typeof textContent>
export type ResultContent = Static<typeof toolResult>['content']
export type ImageBlock = Static<typeof image>
export type DocumentBlock = Static<typeof document>
export type SearchResultBlock = Static<typeof searchResult>

type Tagged = TSchema & { readonly properties: { readonly type: { readonly const: string } } }

/** A block of any other type. Its `type` is not a string here, so that code which narrows by type cannot mistake it. */
type OtherBlock = { readonly type: null }

function list<const Blocks extends readonly Tagged[]>(blocks: Blocks) {
  return Type.Array(union(blocks, 'Blocks of other types are ignored'), { maxItems: maxBlocks })
}

function union<const Blocks extends readonly Tagged[]>(blocks: Blocks, description: string) {
  const known = blocks.map(block => block.properties.type.const)
  const other = Type.Refine(
    Type.Unsafe<OtherBlock>(Type.Object({ type: Type.String({ description: 'Any other type' }) })),
    ({ type }) => !known.some(name => name === type),
    () => 'is not valid',
  )
  return Type.Union([...blocks, other], { description })
}
