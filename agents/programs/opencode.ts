// opencode, whose provider is a package: each speaks a dialect. Its program is a native binary.
import { join } from 'node:path'
import type { AgentProgram } from './agent.ts'

const providers = {
  chat: { npm: '@ai-sdk/openai-compatible', version: '/v1' },
  responses: { npm: '@ai-sdk/openai', version: '/v1' },
  messages: { npm: '@ai-sdk/anthropic', version: '/v1' },
  vendor: { npm: '@ai-sdk/google', version: '/v1beta' },
} as const

export function createOpencode(dialect: keyof typeof providers): AgentProgram {
  const { npm, version } = providers[dialect]
  return {
    program: { title: 'opencode 1.18.33', npmName: 'opencode-ai', version: '1.18.33' },
    prepare: ({ home, modelUrl, key, model, write }) =>
      write(
        join(home, '.config', 'opencode', 'opencode.json'),
        JSON.stringify({
          model: `fairgate/${model}`,
          small_model: `fairgate/${model}`,
          provider: {
            fairgate: {
              npm,
              options: { baseURL: `${modelUrl}${version}`, apiKey: key },
              models: { [model]: { limit: { context: 1_000_000, output: 32_000 } } },
            },
          },
          autoupdate: false,
          share: 'disabled',
        }),
      ),
    variables: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1' }),
    command: (installed, prompt) => [
      join(installed, 'node_modules', `opencode-${process.platform}-${process.arch}`, 'bin', 'opencode'),
      'run',
      prompt,
    ],
  }
}
