// Converts the messages of a conversation to Anthropic's: turns of blocks, with results first and thoughts before the calls they led to.
import type { AssistantContent, ToolContent, UserPart } from '@fairgate/contracts/chat/content-parts.ts'
import { readDataUrl } from '@fairgate/contracts/chat/data-url.ts'
import {
  type AssistantMessage,
  type ChatMessage,
  type ToolMessage,
  textOf,
} from '@fairgate/contracts/chat/message.ts'
import { readArguments } from '@fairgate/contracts/chat/tools.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { refuseLargeFile } from '../../large-files.ts'
import { readSignature } from '../../tool-call-id.ts'
import { unpackThoughts } from './thoughts.ts'
import { toInnerId, toInnerName } from './tool-names.ts'

type Block = Readonly<Record<string, unknown>>
export type Turn = { readonly role: 'user' | 'assistant'; readonly content: readonly Block[] }

/** The API accepts text after the results of a turn, never before them. */
type OpenTurn = { readonly role: Turn['role']; readonly results: Block[]; readonly content: Block[] }

/** `system`: one block per instruction. Throws ApiError `invalid_request` for media that the API does not read. */
export function buildMessages(messages: readonly ChatMessage[]): {
  readonly system: readonly Block[]
  readonly messages: readonly Turn[]
} {
  const system: Block[] = []
  const turns: OpenTurn[] = []
  const open = (role: Turn['role']): OpenTurn => {
    const last = turns.at(-1)
    if (last?.role === role) return last
    const turn = { role, results: [], content: [] }
    turns.push(turn)
    return turn
  }
  messages.forEach((message, index) => {
    switch (message.role) {
      case 'system':
      case 'developer':
        system.push(...buildText(textOf(message.content)))
        break
      case 'user':
        open('user').content.push(...buildParts(message.content, `messages[${index}].content`))
        break
      case 'assistant':
        open('assistant').content.push(...buildAnswer(message))
        break
      case 'tool':
        open('user').results.push(buildResult(message, `messages[${index}].content`))
    }
  })
  return { system, messages: finishTurns(turns) }
}

/** The API refuses an empty turn, a conversation that does not begin with the user, and a beginning of an answer that ends in space. */
function finishTurns(turns: readonly OpenTurn[]): Turn[] {
  const finished = turns
    .map(({ role, results, content }): Turn => ({ role, content: [...results, ...content] }))
    .filter(({ content }) => content.length > 0)
  if (finished[0]?.role !== 'user')
    finished.unshift({ role: 'user', content: [{ type: 'text', text: '(Begin.)' }] })
  const last = finished.at(-1)
  if (last?.role === 'assistant') finished.splice(-1, 1, { ...last, content: last.content.map(trimEnd) })
  return finished
}

function trimEnd(block: Block, index: number, { length }: readonly Block[]): Block {
  return index === length - 1 && typeof block.text === 'string'
    ? { ...block, text: block.text.trimEnd() }
    : block
}

/** The API refuses text without a visible character. */
function buildText(text: string): Block[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}

function buildParts(content: string | readonly UserPart[], place: string): Block[] {
  if (typeof content === 'string') return buildText(content)
  return content.flatMap((part, index) =>
    part.type === 'text' ? buildText(part.text) : [buildMedium(part, `${place}[${index}]`)],
  )
}

const imageTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']

function buildMedium(part: Exclude<UserPart, { type: 'text' }>, place: string): Block {
  switch (part.type) {
    case 'input_audio':
      throw invalidRequest(place, `${place}: this model does not read audio. Send a transcript.`)
    case 'image_url': {
      const source = readSource(part.image_url.url)
      if (imageTypes.includes(source.media_type)) return { type: 'image', source }
      throw invalidRequest(
        `${place}.image_url.url`,
        `${place}.image_url.url has the type ${source.media_type}. This model reads PNG, JPEG, WebP and GIF.`,
      )
    }
    case 'file': {
      const { file_data: data, filename } = part.file
      if (!data) throw refuseLargeFile(`${place}.file`)
      const title = filename ? { title: filename } : {}
      return { type: 'document', source: readSource(data), ...title }
    }
  }
}

/** Addresses have been fetched before, so a URL has data. */
function readSource(url: string) {
  const { mimeType, base64 } = readDataUrl(url) ?? { mimeType: '', base64: '' }
  return { type: 'base64', media_type: mimeType, data: base64 }
}

function buildResult({ tool_call_id: id, content, is_error: isError }: ToolMessage, place: string): Block {
  const blocks = buildParts(content satisfies ToolContent, place)
  return {
    type: 'tool_result',
    tool_use_id: toInnerId(id),
    ...(blocks.length === 0 ? {} : { content: blocks }),
    ...(isError === true ? { is_error: true } : {}),
  }
}

/** Thoughts alone are not an answer. */
function buildAnswer(message: AssistantMessage): Block[] {
  const { content, refusal, tool_calls: calls } = message
  const said = [
    ...(content ? buildText(joinTexts(content)) : []),
    ...buildText(refusal ?? ''),
    ...(calls ?? []).map(
      ({ id, function: called }): Block => ({
        type: 'tool_use',
        id: toInnerId(id),
        name: toInnerName(called.name),
        input: readArguments(called.arguments) ?? {},
      }),
    ),
  ]
  return said.length === 0 ? [] : [...readThoughts(message), ...said]
}

/** The state is in the first call, or in a thinking block if there is no call. */
function readThoughts({ tool_calls: calls, thinking_blocks: blocks }: AssistantMessage): Block[] {
  const states = [
    ...(calls ?? []).map(({ id }) => readSignature(id)),
    ...(blocks ?? []).map(({ signature }) => signature ?? null),
  ]
  for (const state of states) {
    const thoughts = state === null ? null : unpackThoughts(state)
    if (thoughts !== null) return [...thoughts]
  }
  return []
}

function joinTexts(content: AssistantContent): string {
  if (typeof content === 'string') return content
  return content.map(part => (part.type === 'text' ? part.text : part.refusal)).join('')
}
