// Qwen Code: the key and the address in the project's `.qwen/.env`, the kind of login and the model in its settings. Seen to work with 0.24.4.
import { join } from 'node:path'
import type { ConnectionRecipe, Gateway } from '../recipe.ts'

export const qwenConnection: ConnectionRecipe = {
  tool: 'qwen',
  signs: { project: ['.qwen', 'QWEN.md'], home: ['.qwen'], programs: ['qwen'] },
  edits: (gateway, { root }) => [
    {
      path: join(root, '.qwen', '.env'),
      holdsKey: true,
      format: 'env',
      variables: listVariables(gateway),
    },
    {
      path: join(root, '.qwen', 'settings.json'),
      holdsKey: false,
      format: 'json',
      accepts: ['comment', 'byte order mark'],
      members: [
        [['security', 'auth', 'selectedType'], 'openai'],
        [['model', 'name'], gateway.model],
      ],
    },
  ],
  variables: listVariables,
  stronger: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL'],
  note: 'Start Qwen Code at the top of this repository: elsewhere it does not read these settings.',
}

function listVariables({ url, key, model }: Gateway): Record<string, string> {
  return { OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: model }
}
