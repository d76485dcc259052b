// Codex. The project is trusted in its settings. A flag skips the trust in each hook, which only its own interface can give.
import { join } from 'node:path'
import type { Agent } from './agent.ts'

/** `retries`: how often it repeats a request, and a stream that ended early. */
export function createCodex(retries: { readonly request: number; readonly stream: number }): Agent {
  return {
    tool: 'codex',
    program: { title: 'Codex 0.169.0', npmName: '@openai/codex', version: '0.169.0' },
    prepare: ({ home, root, modelUrl, model, write }) =>
      write(
        join(home, '.codex', 'config.toml'),
        [
          `model = "${model}"`,
          'model_provider = "local"',
          'web_search = "disabled"',
          '[model_providers.local]',
          'name = "local"',
          `base_url = "${modelUrl}/v1"`,
          'env_key = "LOCAL_KEY"',
          'wire_api = "responses"',
          `request_max_retries = ${retries.request}`,
          `stream_max_retries = ${retries.stream}`,
          '[features]',
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
    variables: ({ key }) => ({ LOCAL_KEY: key }),
    command: (installed, prompt) => [
      'node',
      join(installed, 'node_modules', '@openai', 'codex', 'bin', 'codex.js'),
      'exec',
      '--dangerously-bypass-hook-trust',
      '--dangerously-bypass-approvals-and-sandbox',
      prompt,
    ],
    runsHooksBelow: true,
    shell: ({ command, folder }) => ({
      kind: 'call',
      tool: 'exec_command',
      input: { cmd: command, ...(folder === undefined ? {} : { workdir: folder }) },
    }),
    shellName: 'Bash',
    delegate: null,
    unreported: () => {
      const shell = (cmd: string, more: object = {}) =>
        ({ kind: 'call', tool: 'exec_command', input: { cmd, ...more } }) as const
      const entry = (command: string, output: string) =>
        ({ event: 'PostToolUse', toolName: 'Bash', command, output }) as const
      const patch = (body: string) => `apply_patch <<'EOP'\n*** Begin Patch\n${body}\n*** End Patch\nEOP\n`
      const edit = patch('*** Add File: note.txt\n+hello')
      const stale = patch('*** Update File: note.txt\n@@\n-not in it\n+x')
      const yielding = 'echo begin; sleep 1; echo end'
      const server = 'echo serving; sleep 300'
      return [
        { step: shell(edit), entry: entry(edit, 'A note.txt') },
        { step: shell(stale), entry: entry(stale, 'verification failed') },
        {
          step: shell('touch denied.txt', { sandbox_permissions: 'require_escalated', justification: 'x' }),
          entry: entry('touch denied.txt', 'reject command'),
        },
        { step: shell(yielding, { yield_time_ms: 300 }), entry: entry(yielding, 'begin\nend') },
        { step: shell('sleep 1.5'), entry: entry('sleep 1.5', '') },
        // It ends with the program, after the last hook.
        { step: shell(server, { yield_time_ms: 300 }), entry: entry(server, 'serving') },
        {
          step: { kind: 'call', tool: 'no_such_tool', input: { a: 1 } },
          entry: { event: 'PostToolUse', toolName: 'no_such_tool', output: 'unsupported call' },
        },
      ]
    },
    finish: text => ({ kind: 'answer', text }),
    events: {
      start: null,
      prompt: 'UserPromptSubmit',
      call: 'PostToolUse',
      stop: 'Stop',
      end: null,
      subagent: () => [],
    },
  }
}
