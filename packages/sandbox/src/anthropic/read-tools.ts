// Reads `tools` and `tool_choice` of Anthropic's Messages.
import { isObject, type Json } from '../json.ts'
import type { DeclaredFunction, ToolRequest } from '../request/read-tools.ts'
import { VendorError } from '../vendor-error.ts'
import { refuseMember } from './anthropic-error.ts'
import { requireMember, requireText } from './read-content.ts'

export type ReadTools = { readonly asked: Omit<ToolRequest, 'tokens'>; readonly isSingleCall: boolean }

const names = new Set([
  'name',
  'description',
  'input_schema',
  'type',
  'cache_control',
  'strict',
  'defer_loading',
  'allowed_callers',
  'eager_input_streaming',
  'input_examples',
])

/** Tools that Anthropic runs or defines are accepted and never called. Throws VendorError 400. */
export function readTools(body: Json, isThinking: boolean): ReadTools {
  const { tools = [] } = body
  if (!Array.isArray(tools)) throw refuseMember('tools', 'Input should be a valid list')
  const declared = tools.map((tool, index) => readTool(tool, `tools.${index}`))
  const functions = declared.filter(tool => tool !== null)
  if (new Set(functions.map(({ name }) => name)).size < functions.length)
    throw refuseMember('tools', 'Tool names must be unique.')
  const choice =
    body.tool_choice === undefined ? { type: 'auto' } : requireMember(body.tool_choice, 'tool_choice')
  const callable = applyChoice(functions, choice, tools.length)
  if (isThinking && (choice.type === 'any' || choice.type === 'tool'))
    throw new VendorError(400, 'Thinking may not be enabled when tool_choice forces tool use.')
  return {
    asked: {
      functions: callable,
      hasFunctions: functions.length > 0,
      isSearching: false,
      isReadingUrls: false,
    },
    isSingleCall: choice.disable_parallel_tool_use === true,
  }
}

function readTool(value: unknown, place: string): DeclaredFunction | null {
  const tool = requireMember(value, place)
  const type = tool.type ?? 'custom'
  if (type !== 'custom') {
    if (/^[a-z_0-9]+_\d{8}$/.test(String(type))) return null
    throw refuseMember(
      place,
      `Input tag '${String(type)}' found using 'type' does not match any of the expected tags`,
    )
  }
  const name = requireText(tool.name, `${place}.custom.name`)
  if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name))
    throw refuseMember(`${place}.custom.name`, "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'")
  const other = Object.keys(tool).find(member => !names.has(member))
  if (other !== undefined) throw refuseMember(`${place}.custom.${other}`, 'Extra inputs are not permitted')
  const schema = requireMember(tool.input_schema, `${place}.custom.input_schema`)
  if (schema.type !== 'object')
    throw refuseMember(
      `${place}.custom.input_schema.type`,
      schema.type === undefined ? 'Field required' : "Input should be 'object'",
    )
  if (schema.properties !== undefined && schema.properties !== null && !isObject(schema.properties))
    throw refuseMember(`${place}.custom.input_schema.properties`, 'Input should be a valid dictionary')
  return { name, schema }
}

function applyChoice(
  functions: readonly DeclaredFunction[],
  choice: Json,
  count: number,
): readonly DeclaredFunction[] {
  switch (choice.type) {
    case 'none':
      return []
    case 'auto':
      return functions
    case 'any':
    case 'tool': {
      if (count === 0) throw new VendorError(400, 'tool_choice may only be specified while providing tools.')
      if (choice.type === 'any') return functions
      const found = functions.filter(({ name }) => name === choice.name)
      if (found.length === 0)
        throw new VendorError(400, `Tool '${String(choice.name)}' not found in provided tools`)
      return found
    }
    default:
      throw refuseMember(
        'tool_choice',
        `Input tag '${String(choice.type)}' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool', 'none'`,
      )
  }
}
