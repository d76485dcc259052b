// GitHub Copilot CLI: it takes a provider of one's own from variables alone. Version 1.0.102 reads none from a file.
import type { ConnectionRecipe } from '../recipe.ts'

export const copilotConnection: ConnectionRecipe = {
  tool: 'copilot',
  signs: {
    project: ['.github/copilot', '.github/copilot-instructions.md'],
    home: ['.copilot'],
    programs: ['copilot'],
  },
  edits: () => [],
  variables: ({ url, key, model }) => ({
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_TYPE: 'openai',
    COPILOT_PROVIDER_API_KEY: key,
    COPILOT_MODEL: model,
    // Otherwise it asks GitHub for a login.
    COPILOT_OFFLINE: 'true',
  }),
  stronger: [],
  note: 'Copilot CLI reads the gateway from variables alone: start it with "fairgate-recorder run copilot".',
}
