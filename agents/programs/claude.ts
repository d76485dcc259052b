// Claude Code. Its program is a native binary from npm, because the wrapper would need an install script.
import { join } from 'node:path'
import type { Agent } from './agent.ts'

export function createClaude(version: string, runsHooksBelow: boolean): Agent {
  return {
    tool: 'claude',
    program: { title: `Claude Code ${version}`, npmName: '@anthropic-ai/claude-code', version },
    prepare: () => undefined,
    variables: ({ home, modelUrl, key, model }) => ({
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_AUTH_TOKEN: key,
      ANTHROPIC_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      // Otherwise it leaves the outputs of its tasks in the machine's temporary folder.
      CLAUDE_CODE_TMPDIR: home,
      // As root, it refuses to run without asking unless it is told that it is in a sandbox.
      IS_SANDBOX: '1',
    }),
    command: (installed, prompt) => [
      join(
        installed,
        'node_modules',
        '@anthropic-ai',
        `claude-code-${process.platform}-${process.arch}`,
        'claude',
      ),
      '-p',
      prompt,
      '--dangerously-skip-permissions',
    ],
    runsHooksBelow,
    shell: ({ command }) => ({
      kind: 'call',
      tool: 'Bash',
      input: { command, description: 'Runs what the script says' },
    }),
    shellName: 'Bash',
    delegate: prompt => ({
      kind: 'call',
      tool: 'Agent',
      input: {
        description: 'Look into it',
        prompt,
        subagent_type: 'general-purpose',
        run_in_background: false,
      },
    }),
    unreported: root => {
      const failed = (tool: string, input: Record<string, unknown>, error: string) => ({
        step: { kind: 'call', tool, input } as const,
        entry: { event: 'PostToolUseFailure', toolName: tool, error },
      })
      const path = join(root, 'note.txt')
      return [
        failed('Edit', { file_path: path, old_string: 'not in it', new_string: 'x' }, 'not'),
        failed('Edit', { file_path: path }, 'InputValidationError'),
        failed('NoSuchTool', { a: 1 }, 'No such tool available'),
        // For this one a hook is run.
        failed('Bash', { command: 'exit 3', description: 'Fails' }, 'Exit code 3'),
      ]
    },
    finish: text => ({ kind: 'answer', text }),
    events: {
      start: 'SessionStart',
      prompt: 'UserPromptSubmit',
      call: 'PostToolUse',
      stop: 'Stop',
      end: null,
      subagent: (_prompt, answer) => [{ event: 'SubagentStop', response_summary: answer }],
    },
  }
}
