// A public chat request → the body of the vendor's generateContent. Pure.
import type { ChatCall } from '../../port.ts'
import { buildAnswerFormat } from './build-answer-format.ts'
import { buildContents } from './build-contents.ts'
import { buildGenerationConfig } from './build-generation-config.ts'
import { buildToolConfig, buildTools } from './build-tools.ts'

/** One for all: these objects are made for each call. */
const absent = {}

/** Throws ApiError `invalid_request` where members of the request contradict each other. */
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
