// Plays a coding model: it writes one file with the tool that the caller has declared for that, then reports it.
// This lets a coding agent finish its work without a real model.
import { isObject, type Json } from '../json.ts'
import { sampleValue } from './sample-value.ts'

export type DeclaredTool = { readonly name: string; readonly schema: unknown }

export type EditStep =
  | { readonly kind: 'call'; readonly name: string; readonly args: Json }
  | { readonly kind: 'say'; readonly text: string }

/**
 * A shell is preferred, since it accepts a path relative to the agent's folder; some editing tools require an absolute path.
 * `hasCalled`: the conversation already has a tool call.
 */
export function planEdit(file: string, tools: readonly DeclaredTool[], hasCalled: boolean): EditStep {
  if (hasCalled) return { kind: 'say', text: `The file ${file} is written.` }
  const call = findFirst(tools, tool => runShell(tool, file)) ?? findFirst(tools, tool => write(tool, file))
  return call ?? { kind: 'say', text: `None of the declared tools can write ${file}.` }
}

const content = 'Written by the sandbox.'

const shells = new Set([
  'bash',
  'shell',
  'terminal',
  'exec_command',
  'execute_command',
  'run_command',
  'run_in_terminal',
  'run_shell_command',
  'run_terminal_command',
])
const writers = new Set(['write', 'write_file', 'write_to_file', 'create', 'create_file', 'create_new_file'])
const commandNames = ['command', 'cmd']
const pathNames = ['file_path', 'filePath', 'filepath', 'absolute_path', 'path', 'filename']
const contentNames = ['content', 'contents', 'file_text', 'text']

function findFirst<Value, Found>(
  values: readonly Value[],
  find: (value: Value) => Found | null,
): Found | null {
  for (const value of values) {
    const found = find(value)
    if (found !== null) return found
  }
  return null
}

function runShell({ name, schema }: DeclaredTool, file: string): EditStep | null {
  const properties = readProperties(schema)
  const member = commandNames.find(each => each in properties)
  if (!shells.has(name.toLowerCase()) || member === undefined) return null
  const text = `printf '%s\\n' '${content}' > '${file.replaceAll("'", `'\\''`)}'`
  const asked = properties[member]
  const isList = isObject(asked) && String(asked.type).toLowerCase() === 'array'
  return call(name, schema, { [member]: isList ? ['sh', '-c', text] : text })
}

function write({ name, schema }: DeclaredTool, file: string): EditStep | null {
  const properties = readProperties(schema)
  const path = pathNames.find(each => each in properties)
  const body = contentNames.find(each => each in properties)
  if (!writers.has(name.toLowerCase()) || path === undefined || body === undefined) return null
  return call(name, schema, { [path]: file, [body]: `${content}\n` })
}

/** Adds the tool's other required arguments. Flags are false, since one might send the command to the background. */
function call(name: string, schema: unknown, given: Json): EditStep {
  const required = isObject(schema) && Array.isArray(schema.required) ? schema.required.map(String) : []
  const properties = readProperties(schema)
  const others = required.map(each => [each, fill(properties[each])] as const)
  return { kind: 'call', name, args: { ...Object.fromEntries(others), ...given } }
}

function fill(schema: unknown): unknown {
  const value = sampleValue(schema)
  return typeof value === 'boolean' ? false : value
}

function readProperties(schema: unknown): Json {
  return isObject(schema) && isObject(schema.properties) ? schema.properties : {}
}
