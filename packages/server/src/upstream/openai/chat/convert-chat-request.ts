// A chat request → the body of an OpenAI-compatible chat completion. Only members of our own schema are sent.
import type { AssistantContent, UserPart } from '@fairgate/contracts/chat/content-parts.ts'
import type { AssistantMessage, ChatMessage } from '@fairgate/contracts/chat/message.ts'
import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import type { ChatCall } from '../../port.ts'

export type OutputCapMember = 'max_tokens' | 'max_completion_tokens'

/** Sent as they came. Other members could change the price, or are extensions of ours. */
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
  'response_format',
] as const satisfies readonly (keyof ChatRequest)[]

/** `capMember`: this server's name for the output cap. */
export function convertChatRequest(call: ChatCall, capMember: OutputCapMember, isStream: boolean): object {
  const { request, model, outputCap } = call
  const body: Record<string, unknown> = {
    model: model.upstreamId,
    messages: request.messages.map(convertMessage),
    [capMember]: outputCap,
  }
  for (const member of passed) {
    const value = request[member]
    if (value !== null && value !== undefined) body[member] = value
  }
  const effort = request.reasoning_effort ?? null
  if (effort !== null && model.reasoning !== 'none') body.reasoning_effort = effort
  addTools(body, request)
  addAudio(body, request)
  // Without it a stream reports no usage.
  if (isStream) Object.assign(body, { stream: true, stream_options: { include_usage: true } })
  return body
}

/** Servers refuse members about tools when there are no tools. */
function addTools(body: Record<string, unknown>, request: ChatRequest): void {
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
  if (request.tool_choice) body.tool_choice = request.tool_choice
  if (typeof request.parallel_tool_calls === 'boolean') body.parallel_tool_calls = request.parallel_tool_calls
}

/** Always asks for raw samples, the only form that streams have too. We make WAV files from them. */
function addAudio(body: Record<string, unknown>, { modalities, audio }: ChatRequest): void {
  if (modalities?.includes('audio') !== true) return
  body.modalities = ['text', 'audio']
  body.audio = { voice: audio?.voice ?? 'alloy', format: 'pcm16' }
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
      return { role: 'tool', tool_call_id: message.tool_call_id, content: joinTexts(message.content) }
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

/** Many servers take the texts of these roles only as one string. */
function joinTexts(content: AssistantContent): string {
  if (typeof content === 'string') return content
  return content.map(part => (part.type === 'text' ? part.text : part.refusal)).join('')
}
