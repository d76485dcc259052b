// A public chat request → the body of the vendor's generateContent. Pure.
import type { ChatCall } from '../../port.ts'
import { buildContents } from './build-contents.ts'
import { buildGenerationConfig } from './build-generation-config.ts'
import { buildToolConfig, buildTools } from './build-tools.ts'

/** One for all: these objects are made for each call. */
const absent = {}

/** Throws ApiError `invalid_request` where members of the request contradict each other. */
export function convertChatRequest(call: ChatCall) {
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
