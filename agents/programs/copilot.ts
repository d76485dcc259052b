// Copilot CLI with a model of our own, so that it needs no account. Its program is a native binary.
import { join } from 'node:path'
import type { Agent } from './agent.ts'

/** What the variables call each dialect, and where its base address ends. */
const providers = {
  messages: { type: 'anthropic', wire: null, version: '' },
  chat: { type: 'openai', wire: 'completions', version: '/v1' },
  responses: { type: 'openai', wire: 'responses', version: '/v1' },
} as const

export function createCopilot(dialect: keyof typeof providers): Agent {
  const { type, wire, version } = providers[dialect]
  return {
    tool: 'copilot',
    program: { title: 'Copilot CLI 1.0.102', npmName: '@github/copilot', version: '1.0.102' },
    prepare: ({ home, root, write }) =>
      write(join(home, '.copilot', 'config.json'), JSON.stringify({ trusted_folders: [root] })),
    variables: ({ modelUrl, key, model }) => ({
      COPILOT_PROVIDER_BASE_URL: `${modelUrl}${version}`,
      COPILOT_PROVIDER_TYPE: type,
      ...(wire === null ? {} : { COPILOT_PROVIDER_WIRE_API: wire }),
      COPILOT_PROVIDER_API_KEY: key,
      COPILOT_MODEL: model,
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
    }),
    command: (installed, prompt) => [
      join(installed, 'node_modules', '@github', `copilot-${process.platform}-${process.arch}`, 'copilot'),
      '-p',
      prompt,
      '--allow-all-tools',
      '--allow-all-paths',
    ],
    runsHooksBelow: true,
    shell: ({ command }) => ({
      kind: 'call',
      tool: 'bash',
      input: { command, description: 'Runs what the script says' },
    }),
    shellName: 'bash',
    delegate: prompt => ({
      kind: 'call',
      tool: 'task',
      input: { description: 'Look into it', name: 'helper', prompt, agent_type: 'general-purpose' },
    }),
    unreported: () => [],
    finish: text => ({ kind: 'answer', text }),
    events: {
      start: null,
      prompt: 'userPromptSubmitted',
      call: 'postToolUse',
      stop: 'agentStop',
      end: 'sessionEnd',
      subagent: (prompt, answer) => [
        { event: 'userPromptSubmitted', prompt },
        { event: 'agentStop', response_summary: answer, stop_reason: 'end_turn' },
      ],
    },
  }
}
