// Qwen Code over chat. It says that it needs Node 22 and runs on 20 as well.
import { join } from 'node:path'
import type { AgentProgram } from './agent.ts'

export const qwen: AgentProgram = {
  program: { title: 'Qwen Code 0.24.4', npmName: '@qwen-code/qwen-code', version: '0.24.4' },
  prepare: ({ home, write }) =>
    write(
      join(home, '.qwen', 'settings.json'),
      JSON.stringify({
        security: { auth: { selectedType: 'openai' } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { enableAutoUpdate: false },
      }),
    ),
  variables: ({ modelUrl, key, model }) => ({
    OPENAI_BASE_URL: `${modelUrl}/v1`,
    OPENAI_API_KEY: key,
    OPENAI_MODEL: model,
  }),
  command: (installed, prompt) => [
    'node',
    join(installed, 'node_modules', '@qwen-code', 'qwen-code', 'cli-entry.js'),
    '--approval-mode',
    'yolo',
    '-p',
    prompt,
  ],
}
