// Reads `tools` and `toolConfig` of a request: which functions the model may call, and whether it may search.
import { countTokens } from '../count-tokens.ts'
import {
  invalid,
  type Json,
  member,
  optionalObject,
  optionalText,
  requireList,
  requireObject,
} from '../json.ts'
import { checkSchema } from './check-schema.ts'

export type DeclaredFunction = { readonly name: string; readonly schema: unknown }

export type ToolRequest = {
  /** The functions that may be called. A list of allowed names is already applied. */
  readonly functions: readonly DeclaredFunction[]
  /** Whether any function is declared, even if none may be called. */
  readonly hasFunctions: boolean
  readonly isSearching: boolean
  readonly isReadingUrls: boolean
  readonly tokens: number
}

const noTools: ToolRequest = {
  functions: [],
  hasFunctions: false,
  isSearching: false,
  isReadingUrls: false,
  tokens: 0,
}

/** Throws VendorError 400 for declarations without a valid name and for undeclared allowed names. */
export function readTools(root: Json): ToolRequest {
  const value = member(root, 'tools')
  if (value === undefined) return noTools
  const tools = requireList(value, "'tools'").map(tool => requireObject(tool, "'tools'"))
  const declared = tools.flatMap((tool, index) => {
    const functions = member(tool, 'functionDeclarations')
    if (functions === undefined) return []
    const list = requireList(functions, "'function_declarations'")
    return list.map((item, at) => readFunction(item, `tools[${index}].function_declarations[${at}]`))
  })
  const has = (name: string) => tools.some(tool => member(tool, name) !== undefined)
  return {
    functions: applyMode(
      declared,
      optionalObject(optionalObject(root, 'toolConfig'), 'functionCallingConfig'),
    ),
    hasFunctions: declared.length > 0,
    isSearching: has('googleSearch') || has('googleSearchRetrieval'),
    isReadingUrls: has('urlContext'),
    tokens: declared.length === 0 ? 0 : countTokens(JSON.stringify(value)),
  }
}

/** `place`: as errors name it. */
function readFunction(value: unknown, place: string): DeclaredFunction {
  const declaration = requireObject(value, "'function_declarations'")
  const name = optionalText(declaration, 'name') ?? ''
  if (!/^[a-zA-Z_][\w.:-]{0,63}$/.test(name)) {
    throw invalid(
      `* GenerateContentRequest.${place}.name: Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64. Got: ${JSON.stringify(name)}`,
    )
  }
  const parameters = member(declaration, 'parameters')
  if (parameters !== undefined) checkSchema(parameters, `${place}.parameters`)
  const schema = member(declaration, 'parametersJsonSchema') ?? parameters
  return { name, schema: schema ?? { type: 'OBJECT', properties: {} } }
}

function applyMode(declared: readonly DeclaredFunction[], config: Json): readonly DeclaredFunction[] {
  const mode = (optionalText(config, 'mode') ?? 'AUTO').toUpperCase()
  if (!['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'].includes(mode)) {
    throw invalid(`Invalid value at 'tool_config.function_calling_config.mode', ${JSON.stringify(mode)}`)
  }
  if (mode === 'NONE') return []
  const allowed = member(config, 'allowedFunctionNames')
  if (allowed === undefined) return declared
  const names = requireList(allowed, "'allowed_function_names'")
  if (mode !== 'ANY' && mode !== 'VALIDATED') {
    throw invalid(
      'Allowed function names can only be set when the function calling mode is ANY or VALIDATED.',
    )
  }
  return names.map(name => {
    const found = declared.find(declaration => declaration.name === name)
    if (found === undefined) {
      throw invalid(`Allowed function name ${JSON.stringify(name)} is not in the function declarations.`)
    }
    return found
  })
}
