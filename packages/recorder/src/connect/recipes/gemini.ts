// Gemini CLI: the key and the address in the project's `.gemini/.env`, the kind of login and the model in its settings. Seen to work with 0.61.0.
import { join } from 'node:path'
import type { ConnectionRecipe, Gateway } from '../recipe.ts'

export const geminiConnection: ConnectionRecipe = {
  tool: 'gemini',
  signs: { project: ['.gemini', 'GEMINI.md'], home: ['.gemini'], programs: ['gemini'] },
  edits: (gateway, { root }) => [
    {
      path: join(root, '.gemini', '.env'),
      holdsKey: true,
      format: 'env',
      variables: listVariables(gateway),
    },
    {
      path: join(root, '.gemini', 'settings.json'),
      holdsKey: false,
      format: 'json',
      accepts: ['comment'],
      members: [
        [['security', 'auth', 'selectedType'], 'gemini-api-key'],
        [['model', 'name'], gateway.model],
      ],
    },
  ],
  variables: listVariables,
  stronger: ['GEMINI_API_KEY', 'GOOGLE_GEMINI_BASE_URL', 'GEMINI_MODEL'],
  note: 'With -p Gemini CLI does not ask: set GEMINI_CLI_TRUST_WORKSPACE=true.',
}

/** It adds `/v1beta/models/…` to the address. */
function listVariables({ url, key, model }: Gateway): Record<string, string> {
  return { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url, GEMINI_MODEL: model }
}
