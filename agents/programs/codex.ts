// Codex. The project is trusted in its settings. A flag skips the trust in each hook, which only its own interface can give.
import { join } from 'node:path'
import type { Agent, ExpectedEntry } from './agent.ts'
import { call, helper, helperScript, picture, pictureText, played, weatherServer } from './plays.ts'

const shell = (cmd: string, more: object = {}) => call('exec_command', { cmd, ...more })
const done = (entry: object = {}): ExpectedEntry => ({ event: 'PostToolUse', ...entry })
const ran = (command: string, output: string, more: object = {}) =>
  played(shell(command, more), done({ toolName: 'Bash', command, output }))
const patch = (...lines: readonly string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')
const patched = (text: string, output: string) =>
  played(call('apply_patch', text), done({ command: text, output }))
/** It offers a subagent's tools under this name. */
const agents = 'multi_agent_v1'

const isStopped = done({ output: 'aborted by user' })

/** A model that has the tool `apply_patch`, as the maker's own have. */
const catalog = JSON.stringify({
  models: [
    {
      slug: 'scripted-model',
      display_name: 'Scripted model',
      description: '',
      default_reasoning_level: 'medium',
      supported_reasoning_levels: [{ effort: 'medium', description: '' }],
      shell_type: 'unified_exec',
      visibility: 'list',
      supported_in_api: true,
      priority: 1,
      availability_nux: null,
      upgrade: null,
      base_instructions: 'You code.',
      support_verbosity: false,
      default_verbosity: null,
      apply_patch_tool_type: 'freeform',
      truncation_policy: { mode: 'tokens', limit: 10_000 },
      context_window: 272_000,
      experimental_supported_tools: [],
      input_modalities: ['text', 'image'],
      supports_parallel_tool_calls: true,
      supports_reasoning_summaries: true,
    },
  ],
})

type CodexOptions = {
  readonly version?: string
  /** With its maker's provider at the address of the gateway, instead of one of its own. */
  readonly isBuiltIn?: boolean
}

/** `retries`: how often it repeats a request, and a stream that ended early; not of the built-in provider. */
export function createCodex(
  retries: { readonly request: number; readonly stream: number },
  { version = '0.169.0', isBuiltIn = false }: CodexOptions = {},
): Agent {
  return {
    tool: 'codex',
    program: { title: `Codex ${version}`, npmName: '@openai/codex', version },
    prepare: ({ home, root, modelUrl, model, write }) =>
      write(
        join(home, '.codex', 'config.toml'),
        [
          `model = "${model}"`,
          'web_search = "disabled"',
          ...(isBuiltIn
            ? [`openai_base_url = "${modelUrl}/v1"`]
            : [
                'model_provider = "local"',
                '[model_providers.local]',
                'name = "local"',
                `base_url = "${modelUrl}/v1"`,
                'env_key = "LOCAL_KEY"',
                'wire_api = "responses"',
                `request_max_retries = ${retries.request}`,
                `stream_max_retries = ${retries.stream}`,
              ]),
          '[features]',
          // Since 0.156 it always compacts so.
          'remote_compaction_v2 = false',
          'plugins = false',
          'apps = false',
          'multi_agent = false',
          'goals = false',
          '[analytics]',
          'enabled = false',
          `[projects.${JSON.stringify(root)}]`,
          'trust_level = "trusted"',
          '',
        ].join('\n'),
      ),
    variables: ({ key }) => (isBuiltIn ? { CODEX_API_KEY: key } : { LOCAL_KEY: key }),
    command: (installed, prompt) => [
      'node',
      join(installed, 'node_modules', '@openai', 'codex', 'bin', 'codex.js'),
      'exec',
      '--dangerously-bypass-hook-trust',
      '--dangerously-bypass-approvals-and-sandbox',
      prompt,
    ],
    runsHooksBelow: true,
    shell: ({ command, folder }) => shell(command, folder === undefined ? {} : { workdir: folder }),
    shellName: 'Bash',
    plays: ({ home, root }) => {
      const image = join(root, 'picture.png')
      const { command, args } = weatherServer
      return {
        edits: {
          given: { [join(home, 'catalog.json')]: catalog },
          command: addWords('-c', `model_catalog_json="${join(home, 'catalog.json')}"`),
          calls: [
            patched(patch('*** Add File: note.txt', '+one', '+two'), 'A note.txt'),
            patched(patch('*** Update File: note.txt', '@@', '-not in it', '+x'), 'verification failed'),
            patched(patch('*** Update File: note.txt', '@@', '-two', '+three'), 'M note.txt'),
            ran('echo four > other.txt', ''),
          ],
          changed: { 'note.txt': 'one\nthree\n', 'other.txt': 'four\n' },
        },
        subagent: {
          command: addWords('--enable', 'multi_agent'),
          calls: [
            played(call('spawn_agent', { message: helper.task }, agents), done({ output: 'agent_id' })),
            {
              step: result =>
                call(
                  'wait_agent',
                  { targets: [/[\da-f]{8}-[\da-f-]{27}/.exec(result)?.[0]], timeout_ms: 30_000 },
                  agents,
                ),
              entry: done({ toolName: 'multi_agent_v1wait_agent', output: helper.finding }),
            },
          ],
          scripts: [helperScript(shell(helper.command), { kind: 'answer', text: helper.finding })],
          entries: [
            { event: 'UserPromptSubmit', prompt: helper.task },
            done({ toolName: 'Bash', command: helper.command, output: helper.output }),
          ],
        },
        'background-subagent': 'every subagent of Codex works in the background: see `subagent`',
        'background-command': {
          calls: [
            ran('echo begin; read word; echo got $word; echo end', 'got hello', {
              yield_time_ms: 300,
              tty: true,
            }),
            {
              step: result =>
                call('write_stdin', {
                  session_id: Number(/session ID (\d+)/.exec(result)?.[1]),
                  chars: 'hello\n',
                }),
              entry: done({ toolName: 'write_stdin', input: 'hello', output: 'got hello' }),
            },
          ],
        },
        image: {
          given: { 'picture.png': picture },
          command: words => [...words.slice(0, -1), '-i', image, '--', ...words.slice(-1)],
          calls: [played(call('view_image', { path: image }), done({ output: pictureText }))],
          sent: pictureText,
        },
        'server-tool': {
          command: addWords(
            '-c',
            `mcp_servers.weather.command="${command}"`,
            '-c',
            `mcp_servers.weather.args=${JSON.stringify(args)}`,
          ),
          calls: [
            played(
              call('forecast', { city: 'Seoul' }, 'mcp__weather'),
              done({ toolName: 'mcp__weather__forecast', output: 'Rain in Seoul' }),
            ),
            played(
              call('forecast', { city: 'Nowhere' }, 'mcp__weather'),
              done({ toolName: 'mcp__weather__forecast', output: 'No such city' }),
            ),
          ],
        },
        unreported: {
          calls: [
            ran(heredoc(patch('*** Add File: note.txt', '+hello')), 'A note.txt'),
            ran(heredoc(patch('*** Update File: note.txt', '@@', '-not in it', '+x')), 'verification failed'),
            ran('touch denied.txt', 'reject command', {
              sandbox_permissions: 'require_escalated',
              justification: 'x',
            }),
            ran('echo begin; sleep 1; echo end', 'begin\nend', { yield_time_ms: 300 }),
            ran('sleep 1.5', ''),
            // It ends with the program, after the last hook.
            ran('echo serving; sleep 300', 'serving', { yield_time_ms: 300 }),
            played(call('no_such_tool', { a: 1 }), done({ output: 'unsupported call' })),
          ],
          changed: { 'note.txt': 'hello\n' },
        },
      }
    },
    stopped: { signal: isStopped, escape: isStopped },
    screen: {
      command: words => words.filter(word => word !== 'exec'),
      stop: { keys: '\x1b', shows: /Conversationinterrupted/ },
      quit: '/quit',
    },
    events: {
      start: null,
      prompt: 'UserPromptSubmit',
      call: 'PostToolUse',
      stop: 'Stop',
      end: null,
    },
  }
}

/** Before the prompt. */
function addWords(...more: readonly string[]) {
  return (words: readonly string[]) => [...words.slice(0, -1), ...more, ...words.slice(-1)]
}

function heredoc(text: string): string {
  return `apply_patch <<'EOP'\n${text}\nEOP\n`
}
