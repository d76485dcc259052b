// Converts a chat request to the body of an OpenAI-compatible chat completion. Only members of our own schema are sent.
import type { AssistantContent, UserPart } from '@fairgate/contracts/chat/content-parts.ts'
import {
  type AssistantMessage,
  type ChatMessage,
  type ToolMessage,
  textOf,
} from '@fairgate/contracts/chat/message.ts'
import type { NamedFunction, ToolChoice } from '@fairgate/contracts/chat/tools.ts'
import { refuseLargeFile } from '../../large-files.ts'
import type { ChatCall, Conversation } from '../../port.ts'

export type OutputCapMember = 'max_tokens' | 'max_completion_tokens'

/** Sent unchanged. Other members could change the price, or are extensions of ours. */
const passed = [
  'seed',
  'temperature',
  'top_p',
  'top_k',
  'stop',
  'presence_penalty',
  'frequency_penalty',
  'logprobs',
  'top_logprobs',
] as const satisfies readonly (keyof Conversation)[]

/** `capMember`: this server's name for the output cap. */
export function convertChatRequest(call: ChatCall, capMember: OutputCapMember, isStream: boolean): object {
  const { request, model, outputCap } = call
  const body: Record<string, unknown> = {
    model: model.upstreamId,
    messages: convertMessages(request.messages),
    [capMember]: outputCap,
  }
  for (const member of passed) {
    const value = request[member]
    if (value !== null && value !== undefined) body[member] = value
  }
  const effort = request.reasoning_effort ?? null
  if (effort !== null && model.reasoning !== 'none')
    body.reasoning_effort = effort === 'xhigh' || effort === 'max' ? 'high' : effort
  if (request.response_format) body.response_format = convertFormat(request.response_format)
  addTools(body, request)
  addAudio(body, request)
  // Without it a stream reports no usage.
  if (isStream) Object.assign(body, { stream: true, stream_options: { include_usage: true } })
  return body
}

/** Servers refuse members about tools if there are no tools. */
function addTools(body: Record<string, unknown>, request: Conversation): void {
  const tools = request.tools ?? []
  if (tools.length === 0) return
  body.tools = tools.map(({ function: { name, description, parameters, strict } }) => ({
    type: 'function',
    function: {
      name,
      ...(description ? { description } : {}),
      ...(parameters ? { parameters } : {}),
      ...(typeof strict === 'boolean' ? { strict } : {}),
    },
  }))
  if (request.tool_choice) body.tool_choice = convertChoice(request.tool_choice)
  if (typeof request.parallel_tool_calls === 'boolean') body.parallel_tool_calls = request.parallel_tool_calls
}

function convertChoice(choice: ToolChoice): unknown {
  if (typeof choice === 'string') return choice
  if (choice.type === 'function') return convertNamed(choice)
  const { mode, tools } = choice.allowed_tools
  return { type: 'allowed_tools', allowed_tools: { mode, tools: tools.map(convertNamed) } }
}

function convertNamed({ function: { name } }: NamedFunction): object {
  return { type: 'function', function: { name } }
}

function convertFormat(format: NonNullable<Conversation['response_format']>): object {
  if (format.type !== 'json_schema') return { type: format.type }
  const { name, description, strict, schema } = format.json_schema
  return {
    type: 'json_schema',
    json_schema: {
      ...(name === undefined ? {} : { name }),
      ...(description ? { description } : {}),
      ...(typeof strict === 'boolean' ? { strict } : {}),
      schema,
    },
  }
}

/** Always requests raw samples, the only format that streams have too. We make WAV files from them. */
function addAudio(body: Record<string, unknown>, { modalities, audio }: Conversation): void {
  if (modalities?.includes('audio') !== true) return
  body.modalities = ['text', 'audio']
  body.audio = { voice: audio?.voice ?? 'alloy', format: 'pcm16' }
}

/** Results can only be text at these servers: their images and documents follow in a user message, after all results of the step. */
function convertMessages(messages: readonly ChatMessage[]): object[] {
  const converted: object[] = []
  let attached: object[] = []
  const endResults = () => {
    if (attached.length > 0) converted.push({ role: 'user', content: attached })
    attached = []
  }
  for (const message of joinSteps(messages)) {
    if (message.role !== 'tool') endResults()
    else attached.push(...readMedia(message))
    converted.push(convertMessage(message))
  }
  endResults()
  return converted
}

/** Servers require the results right after the message with their calls: further messages of that step become part of it. */
function joinSteps(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const joined: ChatMessage[] = []
  for (const message of messages) {
    const last = joined.at(-1)
    const continues = message.role === 'assistant' && last?.role === 'assistant' && last.tool_calls?.length
    if (!continues) joined.push(message)
    else joined.splice(-1, 1, joinAnswers(last, message))
  }
  return joined
}

function joinAnswers(first: AssistantMessage, second: AssistantMessage): AssistantMessage {
  const texts = [first, second].map(({ content }) => (content ? joinTexts(content) : '')).join('')
  const calls = [...(first.tool_calls ?? []), ...(second.tool_calls ?? [])]
  const refusal = first.refusal || second.refusal || null
  return { role: 'assistant', content: texts || null, refusal, tool_calls: calls }
}

function readMedia({ content }: ToolMessage): object[] {
  return typeof content === 'string' ? [] : content.filter(part => part.type !== 'text').map(convertPart)
}

function convertResult(message: ToolMessage): object {
  const text = textOf(message.content)
  const kind = readMedia(message).length > 0 ? '(file follows)' : ''
  const whole = text === '' || kind === '' ? text + kind : `${text}\n${kind}`
  const content = message.is_error === true ? `Error: ${whole}` : whole
  return { role: 'tool', tool_call_id: message.tool_call_id, content }
}

/** Leaves out members that only this gateway knows, because servers refuse unknown ones. */
function convertMessage(message: ChatMessage): object {
  switch (message.role) {
    case 'user': {
      const { content } = message
      return { role: 'user', content: typeof content === 'string' ? content : content.map(convertPart) }
    }
    case 'assistant':
      return convertAnswer(message)
    case 'tool':
      return convertResult(message)
    default:
      return { role: message.role, content: joinTexts(message.content) }
  }
}

function convertPart(part: UserPart): object {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'image_url': {
      const { url, detail } = part.image_url
      return { type: 'image_url', image_url: { url, ...(detail ? { detail } : {}) } }
    }
    case 'input_audio': {
      const { data, format } = part.input_audio
      return { type: 'input_audio', input_audio: { data, format } }
    }
    case 'file': {
      const { file_data, filename } = part.file
      if (!file_data) throw refuseLargeFile('messages')
      return { type: 'file', file: { file_data, filename: filename || 'document.pdf' } }
    }
  }
}

/** Call ids go back unchanged: they can carry state of the model that made them. */
function convertAnswer({ content, refusal, tool_calls: calls }: AssistantMessage): object {
  const text = content === null || content === undefined ? null : joinTexts(content)
  return {
    role: 'assistant',
    content: text,
    ...(refusal ? { refusal } : {}),
    ...(calls && calls.length > 0
      ? {
          tool_calls: calls.map(({ id, function: { name, arguments: text } }) => ({
            id,
            type: 'function',
            function: { name, arguments: text },
          })),
        }
      : {}),
  }
}

/** Many servers accept the texts of these roles only as one string. */
function joinTexts(content: AssistantContent): string {
  if (typeof content === 'string') return content
  return content.map(part => (part.type === 'text' ? part.text : part.refusal)).join('')
}
