// OpenAI Codex CLI: its events, where its hooks are configured, and how its payloads become entries.
import { join } from 'node:path'
import { asInput, asMoment, asText, objectOf, textOf } from '../../json/members.ts'
import { endFields, keepOpenCalls, type OpenCall, readOpenCalls, toolCallFields } from '../event-fields.ts'
import {
  callKey,
  type EventFields,
  type FoundEvent,
  type MappedEvent,
  type Payload,
  type Surroundings,
  type Tool,
  type UnreportedEvents,
} from '../tool.ts'

/**
 * Finds the tool calls in a rollout of Codex. Its hooks leave out edits by `apply_patch` in a command, commands that go on in the background,
 * and calls that were refused.
 */
const codexCalls: UnreportedEvents = {
  marks: ['"function_call', '"custom_tool_call', '"item_completed"', '"turn_context"'],
  find: (lines, session, state) => {
    const open = readOpenCalls(state)
    let model = textOf(state, 'model') ?? session.model
    const events: FoundEvent[] = []
    const add = (id: string, ts: Date, call: OpenCall, response: string | null, error: string | null) =>
      events.push({
        key: callKey('codex', session.sessionId, id),
        ts,
        tool: 'codex',
        event: 'PostToolUse',
        fields: toolCallFields(model, { ...call, response, error }),
        folder: null,
      })
    for (const line of lines) {
      const payload = objectOf(line, 'payload')
      const at = asMoment(line.timestamp, new Date(0))
      if (line.type === 'turn_context') model = textOf(payload, 'model') ?? model
      const id = textOf(payload, 'call_id')
      if (id !== null && isCall(payload)) open.set(id, readCall(payload))
      const call = open.get(id ?? '')
      if (id !== null && isOutput(payload) && call !== undefined) {
        open.delete(id)
        const output = asText(payload.output)
        if (!isPoll(call) && !isRunning(call, output)) add(id, at, call, output, null)
      }
      const item = payload.type === 'item_completed' ? objectOf(payload, 'item') : {}
      const itemId = textOf(item, 'id')
      const ended = itemId === null ? null : readItem(item)
      if (itemId === null || ended === null) continue
      const known = open.get(itemId)
      open.delete(itemId)
      add(itemId, asMoment(payload.completed_at_ms, at), known ?? ended.call, ended.response, ended.error)
    }
    return { events, state: { model, open: keepOpenCalls(open) } }
  },
}

export const codex: Tool = {
  name: 'codex',
  events: ['UserPromptSubmit', 'PostToolUse', 'Stop'],
  hookFiles: (root, home) => [join(root, '.codex', 'hooks.json'), join(home, '.codex', 'hooks.json')],
  projectVariable: null,
  findFolders: (payload, { workingFolder }) => [textOf(payload, 'cwd') ?? workingFolder, workingFolder],
  mapEvent,
  unreported: codexCalls,
}

function mapEvent(event: string, payload: Payload, { now, transcripts }: Surroundings): MappedEvent {
  const sessionId = textOf(payload, 'session_id') ?? ''
  const [call, transcript] = [textOf(payload, 'tool_use_id'), textOf(payload, 'transcript_path')]
  return {
    ts: now,
    sessionId,
    fields: mapFields(event, payload),
    ...(call === null ? {} : { once: { key: callKey('codex', sessionId, call), otherwise: null } }),
    ...(transcript === null
      ? {}
      : {
          session: {
            transcript,
            model: textOf(payload, 'model'),
            isTurnEnd: event === 'Stop',
            begin: () => ({ from: transcripts.sizeOf(transcript), notedAt: now.getTime() }),
          },
        }),
  }
}

function mapFields(event: string, payload: Payload): EventFields {
  const model = textOf(payload, 'model')
  switch (event) {
    case 'UserPromptSubmit':
      return { model, prompt: textOf(payload, 'prompt') }
    case 'PostToolUse':
      // A failed command looks like any other. We do not guess an error from its output.
      return toolCallFields(model, {
        name: textOf(payload, 'tool_name'),
        input: asInput(payload.tool_input),
        response: asText(payload.tool_response),
      })
    default:
      return endFields(model, textOf(payload, 'last_assistant_message'), null)
  }
}

/** The names under which Codex reports a command to its hooks as `Bash`. */
const commandNames = ['exec_command', 'shell', 'shell_command', 'local_shell']
/** A command of the user himself, and what was typed into one that was already running. */
const ignoredSources = ['user_shell', 'unified_exec_interaction']

function isCall({ type }: Payload): boolean {
  return type === 'function_call' || type === 'custom_tool_call'
}

function isOutput({ type }: Payload): boolean {
  return type === 'function_call_output' || type === 'custom_tool_call_output'
}

/** As the hooks name a call and give its input. */
function readCall(payload: Payload): OpenCall {
  const name = readName(payload)
  if (payload.type === 'custom_tool_call') return { name, input: { command: asText(payload.input) } }
  const input = parseInput(textOf(payload, 'arguments'))
  if (name === null || !commandNames.includes(name) || typeof input !== 'object' || input === null)
    return { name, input }
  const { cmd, command = cmd } = { ...input } as Payload
  return { name: 'Bash', input: command === undefined ? input : { command: lastOf(command) } }
}

/** The name of an MCP server's tool contains the server's. */
function readName(payload: Payload): string | null {
  const [name, namespace] = [textOf(payload, 'name'), textOf(payload, 'namespace')]
  return name !== null && namespace?.startsWith('mcp__') ? `${namespace}__${name}` : name
}

function parseInput(text: string | null): string | object | null {
  try {
    return asInput(JSON.parse(text ?? 'null'))
  } catch {
    return text
  }
}

/** Reading the output of a running command again is no call of its own. */
function isPoll({ name, input }: OpenCall): boolean {
  return name === 'write_stdin' && typeof input === 'object' && textOf({ ...input }, 'chars') === null
}

/** The model got what there was so far. The command is recorded when it has ended. */
function isRunning({ name }: OpenCall, output: string | null): boolean {
  return (
    name === 'Bash' &&
    /^Process running with session ID \d+$/m.test((output ?? '').split('\nOutput:\n')[0] ?? '')
  )
}

type EndedItem = { readonly call: OpenCall; readonly response: string | null; readonly error: string | null }

/** null: no tool call of the model. */
function readItem(item: Payload): EndedItem | null {
  if (item.type === 'FileChange') {
    const response = [textOf(item, 'stdout'), textOf(item, 'stderr')].filter(Boolean).join('')
    const hasFailed = item.status !== 'completed'
    return {
      call: { name: 'apply_patch', input: { changes: item.changes ?? null } },
      response,
      error: hasFailed ? (textOf(item, 'stderr') ?? asText(item.status)) : null,
    }
  }
  if (item.type !== 'CommandExecution' || ignoredSources.includes(String(item.source))) return null
  return {
    call: { name: 'Bash', input: { command: lastOf(item.command) } },
    response: asText(item.aggregated_output),
    // A hook gets no error of a failed command either.
    error: null,
  }
}

/** The shell's own words come before the command. */
function lastOf(command: unknown): string | null {
  return asText(Array.isArray(command) ? command.at(-1) : command)
}
