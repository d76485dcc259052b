// pi: a provider in the user's list of models, chosen in the settings of the project. Seen to work with 0.74.2.
import { join } from 'node:path'
import type { ConnectionRecipe } from '../recipe.ts'

export const piConnection: ConnectionRecipe = {
  tool: 'pi',
  signs: { project: ['.pi'], home: ['.pi'], programs: ['pi'] },
  edits: ({ url, key, model }, { root, home }) => [
    {
      path: join(home, '.pi', 'agent', 'models.json'),
      holdsKey: true,
      format: 'json',
      accepts: [],
      members: [
        [
          ['providers', 'fairgate'],
          { baseUrl: `${url}/v1`, apiKey: key, api: 'openai-completions', models: [{ id: model }] },
        ],
      ],
    },
    {
      path: join(root, '.pi', 'settings.json'),
      holdsKey: false,
      format: 'json',
      accepts: [],
      members: [
        [['defaultProvider'], 'fairgate'],
        [['defaultModel'], model],
      ],
    },
  ],
  variables: () => ({}),
  stronger: [],
  note: null,
}
