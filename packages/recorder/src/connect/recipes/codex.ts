// Codex: a provider of its own in the user's config.toml. Codex 0.169.0 ignores providers in the settings of a project, and says so.
import { codexConfigPath } from '../../install/settings/recipes/codex-trust.ts'
import type { ConnectionRecipe } from '../recipe.ts'

export const codexConnection: ConnectionRecipe = {
  tool: 'codex',
  signs: { project: ['.codex'], home: ['.codex'], programs: ['codex'] },
  edits: ({ url, key, model }, places) => [
    {
      path: codexConfigPath(places),
      holdsKey: true,
      format: 'toml',
      root: { model, model_provider: 'fairgate', web_search: 'disabled' },
      // A profile would choose another model.
      retired: ['profile'],
      tables: {
        model_providers: {
          fairgate: {
            name: 'Fairgate',
            base_url: `${url}/v1`,
            wire_api: 'responses',
            // In the file, so that nobody has to export a variable.
            experimental_bearer_token: key,
            // Codex repeats a failed call up to 30 times otherwise.
            request_max_retries: 2,
            stream_max_retries: 3,
          },
        },
        // Without these, Codex asks other hosts and sends tools that only its maker's models know. They are last, because Codex gathers
        // features behind the first of them when it saves a feature, and moves our closing mark with them.
        features: { plugins: false, apps: false, goals: false },
      },
      optional: ['features'],
    },
  ],
  variables: () => ({}),
  stronger: [],
  note: 'Its setting is in your own config.toml, so Codex uses the gateway in every folder until "fairgate-recorder disconnect".',
}
