// Gemini CLI, with a key and in a trusted folder.
import { join } from 'node:path'
import type { Agent } from './agent.ts'

export const gemini: Agent = {
  tool: 'gemini',
  program: { title: 'Gemini CLI 0.61.0', npmName: '@google/gemini-cli', version: '0.61.0' },
  prepare: ({ home, root, write }) => {
    write(
      join(home, '.gemini', 'settings.json'),
      JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { enableAutoUpdate: false },
      }),
    )
    write(join(home, '.gemini', 'trustedFolders.json'), JSON.stringify({ [root]: 'TRUST_FOLDER' }))
  },
  variables: ({ home, modelUrl, key }) => ({
    GEMINI_API_KEY: key,
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    // It writes a report of each error into the folder for temporary files.
    TMPDIR: home,
  }),
  command: (installed, prompt, model) => [
    'node',
    join(installed, 'node_modules', '@google', 'gemini-cli', 'bundle', 'gemini.js'),
    '-m',
    model,
    '--approval-mode',
    'yolo',
    '-p',
    prompt,
  ],
  runsHooksBelow: false,
  shell: ({ command, folder }) => ({
    kind: 'call',
    tool: 'run_shell_command',
    input: {
      command,
      description: 'Runs what the script says',
      ...(folder === undefined ? {} : { dir_path: folder }),
    },
  }),
  shellName: 'run_shell_command',
  delegate: prompt => ({
    kind: 'call',
    tool: 'invoke_agent',
    input: { agent_name: 'generalist', prompt },
  }),
  unreported: () => [],
  finish: response => ({ kind: 'call', tool: 'complete_task', input: { result: { response } } }),
  events: {
    start: null,
    prompt: 'BeforeAgent',
    call: 'AfterTool',
    stop: 'AfterAgent',
    end: 'SessionEnd',
    subagent: () => [{ event: 'AfterTool', toolName: 'complete_task' }],
  },
}
