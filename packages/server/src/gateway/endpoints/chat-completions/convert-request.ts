// Converts a request in OpenAI's chat format to the conversation for the upstream. Pure. Unknown members end here.
import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import type { SentTool, Tool } from '@fairgate/contracts/chat/tools.ts'
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { Conversation } from '../../../upstream/port.ts'
import { convertThinking } from '../../conversation/convert-thinking.ts'

/** Throws ApiError `invalid_request` for tools and functions that are not offered. */
export function convertRequest(request: ChatRequest): Conversation {
  refuseOldFunctions(request)
  const { thinking, reasoning_effort: effort = null } = request
  return {
    model: request.model,
    messages: request.messages,
    max_tokens: request.max_tokens ?? null,
    max_completion_tokens: request.max_completion_tokens ?? null,
    n: request.n ?? null,
    seed: request.seed ?? null,
    temperature: request.temperature ?? null,
    top_p: request.top_p ?? null,
    top_k: request.top_k ?? null,
    stop: request.stop ?? null,
    presence_penalty: request.presence_penalty ?? null,
    frequency_penalty: request.frequency_penalty ?? null,
    logprobs: request.logprobs ?? null,
    top_logprobs: request.top_logprobs ?? null,
    tools: readTools(request),
    tool_choice: request.tool_choice ?? null,
    parallel_tool_calls: request.parallel_tool_calls ?? null,
    response_format: request.response_format ?? null,
    modalities: request.modalities ?? null,
    audio: request.audio ?? null,
    image_config: request.image_config ?? null,
    web_search_options: request.web_search_options ?? null,
    stream: request.stream ?? null,
    stream_options: request.stream_options ?? null,
    ...(thinking ? convertThinking(thinking, effort, true) : { reasoning_effort: effort }),
  }
}

/** Answers in the old form, with `function_call`, are not written; the client would not understand another form. */
function refuseOldFunctions({ functions }: ChatRequest): void {
  if (functions === undefined || functions === null || (Array.isArray(functions) && functions.length === 0))
    return
  throw invalidRequest(
    'functions',
    'functions is not supported. Send tools instead; the answer then has tool_calls.',
  )
}

function readTools({ tools }: ChatRequest): readonly Tool[] | null {
  if (!tools || tools.every(isFunction)) return tools ?? null
  const index = tools.findIndex(tool => !isFunction(tool))
  throw refuseTool(tools[index] ?? {}, `tools[${index}]`)
}

function isFunction(tool: SentTool): tool is Tool {
  return 'function' in tool && tool.type === 'function'
}

/** Tools of other APIs are recognised by their type, the vendor's by their only member, Anthropic's by their schema. */
function refuseTool(tool: object, place: string): ApiError {
  const type = 'type' in tool && typeof tool.type === 'string' ? tool.type : null
  if (type === 'function') {
    const message = `${place}.function is required: put name, description and parameters into it. Tools without it are for POST /v1/responses.`
    return invalidRequest(`${place}.function`, message)
  }
  const name = (type ?? Object.keys(tool)[0] ?? '').slice(0, 100)
  if (type === null && (name === '' || 'name' in tool || 'function' in tool)) {
    const hint = 'input_schema' in tool ? ' Tools with input_schema are for POST /v1/messages.' : ''
    return invalidRequest(`${place}.type`, `${place}.type is required and must be "function".${hint}`)
  }
  return invalidRequest(place, `${place}: ${name} is not offered in chat completions. ${wayOut(name)}`)
}

function wayOut(name: string): string {
  if (name === 'custom') return 'Declare a function, or use POST /v1/responses.'
  if (/search/i.test(name) && !/file/i.test(name))
    return 'Send web_search_options: {} to let the model search the web.'
  return 'Declare a function and run it in your client.'
}
