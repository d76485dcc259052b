// Converts a public chat request, with its tools, to the body of the vendor's generateContent. Pure.
import type { Tool, ToolChoice } from '@fairgate/contracts/chat/tools.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { ChatCall, Conversation } from '../../port.ts'
import { buildContents } from './build-contents.ts'
import { buildAnswerFormat, buildGenerationConfig } from './build-generation-config.ts'
import { cleanSchema } from './clean-schema.ts'

/** Shared, since one would be created for each call. */
const absent = {}

/** Throws ApiError `invalid_request` if members of the request contradict each other. */
export function convertChatRequest(call: ChatCall) {
  const { contents, instruction } = buildContents(call)
  const format = buildAnswerFormat(call)
  const instructions = [instruction, format.instruction].filter(text => text !== '').join('\n\n')
  const tools = buildTools(call.request)
  const toolConfig = buildToolConfig(call.request)
  return {
    contents,
    ...(instructions === '' ? absent : { systemInstruction: { parts: [{ text: instructions }] } }),
    ...(tools === null ? absent : { tools }),
    ...(toolConfig === null ? absent : { toolConfig }),
    generationConfig: buildGenerationConfig(call, format.config),
  }
}

/** Null if there are none. */
function buildTools(request: Conversation): readonly object[] | null {
  const functions = request.tools ?? []
  const hasSearch = request.web_search_options !== null && request.web_search_options !== undefined
  if (functions.length === 0 && !hasSearch) return null
  return [
    ...(functions.length === 0 ? [] : [{ functionDeclarations: functions.map(declare) }]),
    ...(hasSearch ? [{ googleSearch: {} }] : []),
  ]
}

function declare({ function: { name, description, parameters } }: Tool): object {
  const schema = parameters ? cleanSchema(parameters) : null
  return {
    name,
    ...(description ? { description } : {}),
    ...(schema === null ? {} : { parametersJsonSchema: schema }),
  }
}

/** Null leaves it to the model. Throws ApiError `invalid_request` on a choice of a function that is not among the tools. */
function buildToolConfig(request: Conversation): object | null {
  const tools = request.tools ?? []
  const choice = request.tool_choice ?? null
  if (tools.length === 0) {
    if (choice === null || choice === 'none' || choice === 'auto') return null
    throw invalidRequest('tool_choice', 'tool_choice asks for a function call, but there are no tools.')
  }
  if (typeof choice === 'object' && choice !== null) return limitTools(choice, tools)
  if (choice === 'none') return { functionCallingConfig: { mode: 'NONE' } }
  if (choice === 'required') return { functionCallingConfig: { mode: 'ANY' } }
  // This mode makes arguments match their schemas. It applies to all functions at once.
  if (tools.some(tool => tool.function.strict === true))
    return { functionCallingConfig: { mode: 'VALIDATED' } }
  return choice === null ? null : { functionCallingConfig: { mode: 'AUTO' } }
}

/** The vendor accepts names only in the modes ANY and VALIDATED; in the latter the model may also answer without a call. */
function limitTools(choice: Exclude<ToolChoice, string>, tools: readonly Tool[]): object {
  const require = (name: string, param: string): string => {
    if (tools.some(tool => tool.function.name === name)) return name
    throw invalidRequest(param, `${param} is not among the tools.`)
  }
  if (choice.type === 'function') {
    const name = require(choice.function.name, 'tool_choice.function.name')
    return { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [name] } }
  }
  const { mode, tools: allowed } = choice.allowed_tools
  const names = allowed.map(({ function: { name } }, index) =>
    require(name, `tool_choice.allowed_tools.tools[${index}].function.name`),
  )
  const vendorMode = mode === 'required' ? 'ANY' : 'VALIDATED'
  return { functionCallingConfig: { mode: vendorMode, allowedFunctionNames: [...new Set(names)] } }
}
