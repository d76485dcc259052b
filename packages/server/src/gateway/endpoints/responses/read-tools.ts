// Converts the tools of a request to functions of a chat turn, and back: the name and form in which the client gets a call.
import { readJsonObject, type Tool } from '@fairgate/contracts/chat/tools.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { ResponsesRequest } from '@fairgate/contracts/responses/request.ts'
import {
  type CustomTool,
  type FunctionTool,
  type ResponsesTool,
  refusedTools,
} from '@fairgate/contracts/responses/tools.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import type { Conversation } from '../../../upstream/port.ts'
import type { ToolNames } from '../../conversation/tool-names.ts'
import { nameItem } from './response-ids.ts'

export type ToolTable = {
  readonly names: ToolNames
  /** Under the upstream's names. */
  readonly customNames: ReadonlySet<string>
}

export type ReadTools = Pick<Conversation, 'tools' | 'tool_choice' | 'web_search_options'> & {
  readonly table: ToolTable
}

type Place = { readonly tools: readonly ResponsesTool[]; readonly param: string }

/** Throws ApiError `invalid_request` for an unsupported built-in tool, and for an impossible choice. */
export function readTools(
  { tools, input, tool_choice: choice }: Pick<ResponsesRequest, 'tools' | 'input' | 'tool_choice'>,
  names: ToolNames,
  model: CatalogModel,
  earlier = 0,
): ReadTools {
  const declared = new Declarations(names)
  for (const place of listTools(tools ?? [], input, earlier)) declared.addAll(place)
  const offersSearch = declared.hasSearch && declared.functions.size === 0
  if (offersSearch && model.price.tiers[0].rates.search === undefined)
    throw invalidRequest('tools', `${model.id} does not support web_search.`)
  return {
    ...(declared.functions.size === 0 ? absent : { tools: [...declared.functions.values()] }),
    ...(offersSearch ? { web_search_options: {} } : absent),
    ...readChoice(choice ?? null, declared, offersSearch),
    table: { names, customNames: declared.customNames },
  }
}

const absent = {}

function* listTools(
  tools: readonly ResponsesTool[],
  input: ResponsesRequest['input'],
  earlier: number,
): Iterable<Place> {
  yield { tools, param: 'tools' }
  if (typeof input === 'string') return
  for (const [index, item] of input.entries())
    if (item.type === 'additional_tools')
      yield { tools: item.tools, param: `${nameItem(index, earlier)}.tools` }
}

class Declarations {
  /** By the upstream's name. The first of a name counts: the vendor refuses a second. */
  readonly functions = new Map<string, Tool>()
  readonly customNames = new Set<string>()
  hasSearch = false
  readonly names: ToolNames

  constructor(names: ToolNames) {
    this.names = names
  }

  addAll({ tools, param }: Place): void {
    tools.forEach((tool, index) => {
      switch (tool.type) {
        case 'function':
        case 'custom':
          this.add(tool, null)
          break
        case 'namespace':
          for (const inside of tool.tools)
            if (inside.type === 'function' || inside.type === 'custom') this.add(inside, tool.name)
          break
        case 'web_search':
        case 'web_search_2025_08_26':
        case 'web_search_preview':
        case 'web_search_preview_2025_03_11':
          this.hasSearch = true
          break
        default:
          // Others that agents send along by themselves are left out.
          if (isRefused(tool.type)) {
            const message = `The built-in tool ${tool.type} is not supported. Declare a function instead.`
            throw invalidRequest(`${param}[${index}]`, message)
          }
      }
    })
  }

  private add(tool: FunctionTool | CustomTool, namespace: string | null): void {
    const name = this.names.toInner(tool.name, namespace)
    if (this.functions.has(name)) return
    if (tool.type === 'custom') {
      this.customNames.add(name)
      this.functions.set(name, declareCustomTool(name, tool))
      return
    }
    const { description = null, parameters = null, strict = null } = tool
    this.functions.set(name, { type: 'function', function: { name, description, parameters, strict } })
  }
}

function isRefused(type: string): boolean {
  return refusedTools.some(refused => refused === type)
}

type Choice = NonNullable<ResponsesRequest['tool_choice']>

function readChoice(
  choice: Choice | null,
  { functions, names }: Declarations,
  offersSearch: boolean,
): Pick<Conversation, 'tool_choice'> {
  if (choice === null) return absent
  if (typeof choice === 'string') {
    if (choice === 'required' && functions.size === 0)
      throw invalidRequest('tool_choice', 'tool_choice asks for a call, but there are no tools.')
    return functions.size === 0 ? absent : { tool_choice: choice }
  }
  if (isNamed(choice)) {
    const name = names.toInner(choice.name, choice.namespace)
    if (!functions.has(name))
      throw invalidRequest('tool_choice.name', 'tool_choice.name is not among the tools.')
    return { tool_choice: { type: 'function', function: { name } } }
  }
  if (isAllowed(choice)) {
    const allowed = choice.tools
      .flatMap(tool => (isNamed(tool) ? names.toInner(tool.name, tool.namespace) : []))
      .filter(name => functions.has(name))
    if (allowed.length === 0)
      throw invalidRequest('tool_choice.tools', 'tool_choice.tools lists none of the tools.')
    const tools = allowed.map(name => ({ type: 'function', function: { name } }) as const)
    return { tool_choice: { type: 'allowed_tools', allowed_tools: { mode: choice.mode, tools } } }
  }
  if (offersSearch && choice.type.startsWith('web_search')) return absent
  throw invalidRequest('tool_choice', `tool_choice asks for ${choice.type}, which is not supported.`)
}

type Named = Extract<Choice, { readonly name: string }>
type Allowed = Extract<Choice, { readonly mode: string }>

function isNamed(choice: { readonly type: string }): choice is Named {
  return choice.type === 'function' || choice.type === 'custom'
}

function isAllowed(choice: { readonly type: string }): choice is Allowed {
  return choice.type === 'allowed_tools'
}

// Custom tools take free text, which no upstream supports: they are declared as functions with one text, and their calls unwrapped.

const rawText = 'Give the raw text in `input`: no JSON inside it, no code fence around it.'

const parameters = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The raw text' } },
  required: ['input'],
}

/** `name`: the upstream's. */
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

/** The text of a call. Models put JSON and fences around it anyway. `name`: the client's. */
export function unwrapCustomInput(name: string, callArguments: string): string {
  const outer = textMember(callArguments) ?? callArguments
  const text = stripFence(textMember(outer) ?? outer)
  return name === 'apply_patch' ? completePatch(text) : text
}

/** From `{"input": "…"}` or `{"patch": "…"}`; null for anything else. */
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

/** From its first line on, with the lines that Codex requires. */
function completePatch(text: string): string {
  const start = text.indexOf(patchBegins)
  const whole = start >= 0 ? text.slice(start) : `${patchBegins}\n${text}`
  if (whole.includes(patchEnds)) return whole
  return `${whole}${whole.endsWith('\n') ? '' : '\n'}${patchEnds}\n`
}
