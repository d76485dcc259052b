// Custom tools take free text, and no upstream knows them: they are declared as functions of one text, and their calls unwrapped.
import type { Tool } from '@fairgate/contracts/chat/tools.ts'
import { readJsonObject } from '@fairgate/contracts/chat/tools.ts'
import type { CustomTool } from '@fairgate/contracts/responses/tools.ts'

const rawText = 'Give the raw text in `input`: no JSON inside it, no code fence around it.'

const parameters = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The raw text' } },
  required: ['input'],
}

/** `name`: as the upstream takes it. */
export function declareCustomTool(name: string, { description, format }: CustomTool): Tool {
  const said = [description ?? '', rawText, describeFormat(format)].filter(text => text !== '').join('\n\n')
  return { type: 'function', function: { name, description: said, parameters } }
}

function describeFormat(format: CustomTool['format']): string {
  if (format?.type !== 'grammar' || !format.definition) return ''
  return `The text must follow this ${format.syntax ?? ''} grammar:\n${format.definition}`.replace('  ', ' ')
}

export function wrapCustomInput(input: string): string {
  return JSON.stringify({ input })
}

/** The text of a call. Models put JSON and fences around it all the same. `name`: as the client knows it. */
export function unwrapCustomInput(name: string, callArguments: string): string {
  const outer = textMember(callArguments) ?? callArguments
  const text = stripFence(textMember(outer) ?? outer)
  return name === 'apply_patch' ? completePatch(text) : text
}

/** Of `{"input": "…"}` or `{"patch": "…"}`; null for anything else. */
function textMember(text: string): string | null {
  if (!text.trimStart().startsWith('{')) return null
  const object = readJsonObject(text)
  const value = object?.input ?? object?.patch
  return typeof value === 'string' ? value : null
}

function stripFence(text: string): string {
  return /^\s*```[\w-]*\n([\s\S]*?\n?)```\s*$/.exec(text)?.[1] ?? text
}

const patchBegins = '*** Begin Patch'
const patchEnds = '*** End Patch'

/** From its first line on, with the lines that Codex insists on. */
function completePatch(text: string): string {
  const start = text.indexOf(patchBegins)
  const whole = start >= 0 ? text.slice(start) : `${patchBegins}\n${text}`
  if (whole.includes(patchEnds)) return whole
  return `${whole}${whole.endsWith('\n') ? '' : '\n'}${patchEnds}\n`
}
