// `tools` and `toolConfig` of a request: which functions the model may call, and whether it may search.
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

export type DeclaredFunction = { readonly name: string; readonly schema: unknown }

export type ToolRequest = {
  /** The functions that may be called. A list of allowed names is already applied. */
  readonly functions: readonly DeclaredFunction[]
  readonly isSearching: boolean
  readonly isReadingUrls: boolean
  readonly tokens: number
}

const noTools: ToolRequest = { functions: [], isSearching: false, isReadingUrls: false, tokens: 0 }

/** Throws VendorError 400 for declarations without a valid name and for allowed names that nobody declared. */
export function readTools(root: Json): ToolRequest {
  const value = member(root, 'tools')
  if (value === undefined) return noTools
  const tools = requireList(value, "'tools'").map(tool => requireObject(tool, "'tools'"))
  const declared = tools.flatMap(tool => {
    const functions = member(tool, 'functionDeclarations')
    return functions === undefined ? [] : requireList(functions, "'function_declarations'").map(readFunction)
  })
  const has = (name: string) => tools.some(tool => member(tool, name) !== undefined)
  return {
    functions: applyMode(
      declared,
      optionalObject(optionalObject(root, 'toolConfig'), 'functionCallingConfig'),
    ),
    isSearching: has('googleSearch') || has('googleSearchRetrieval'),
    isReadingUrls: has('urlContext'),
    tokens: declared.length === 0 ? 0 : countTokens(JSON.stringify(value)),
  }
}

function readFunction(value: unknown): DeclaredFunction {
  const declaration = requireObject(value, "'function_declarations'")
  const name = optionalText(declaration, 'name') ?? ''
  if (!/^[a-zA-Z_][\w.:-]{0,127}$/.test(name)) {
    throw invalid(
      `* GenerateContentRequest.tools[0].function_declarations[0].name: Invalid function name. Must start with a letter or an underscore. Got: ${JSON.stringify(name)}`,
    )
  }
  const schema = member(declaration, 'parametersJsonSchema') ?? member(declaration, 'parameters')
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
