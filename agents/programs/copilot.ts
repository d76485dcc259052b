// Copilot CLI with a model of our own, so that it needs no account. Its program is a native binary.
import { join } from 'node:path'
import { type Agent, model } from './agent.ts'

export const copilot: Agent = {
  tool: 'copilot',
  program: { title: 'Copilot CLI 1.0.102', npmName: '@github/copilot', version: '1.0.102' },
  prepare: ({ home, root, write }) =>
    write(join(home, '.copilot', 'config.json'), JSON.stringify({ trusted_folders: [root] })),
  variables: ({ modelUrl }) => ({
    COPILOT_PROVIDER_BASE_URL: modelUrl,
    COPILOT_PROVIDER_TYPE: 'anthropic',
    COPILOT_PROVIDER_API_KEY: 'local',
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
