// A public chat request → the body of the vendor's generateContent. Pure.
import type { ChatCall } from '../../port.ts'
import { buildContents, type Content } from './build-contents.ts'
import { buildGenerationConfig, type GenerationConfig } from './build-generation-config.ts'
import { buildToolConfig, buildTools, type GeminiTool, type ToolConfig } from './build-tools.ts'

export type GeminiChatBody = {
  readonly contents: readonly Content[]
  readonly systemInstruction?: { readonly parts: readonly [{ readonly text: string }] }
  readonly tools?: readonly GeminiTool[]
  readonly toolConfig?: ToolConfig
  readonly generationConfig: GenerationConfig
}

/** One for all: these objects are made for each call. */
const absent = {}

/** Throws ApiError `invalid_request` where members of the request contradict each other. */
export function convertChatRequest(call: ChatCall): GeminiChatBody {
  const { contents, instruction } = buildContents(call)
  const tools = buildTools(call.request)
  const toolConfig = buildToolConfig(call.request)
  return {
    contents,
    ...(instruction === '' ? absent : { systemInstruction: { parts: [{ text: instruction }] } }),
    ...(tools === null ? absent : { tools }),
    ...(toolConfig === null ? absent : { toolConfig }),
    generationConfig: buildGenerationConfig(call),
  }
}
