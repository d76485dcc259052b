// opencode: a provider in the project's `.opencode/opencode.json`, which names the file of the key instead of holding it. Seen to work with 1.18.33.
import { join, relative, sep } from 'node:path'
import type { ConnectionRecipe } from '../recipe.ts'

export const opencodeConnection: ConnectionRecipe = {
  tool: 'opencode',
  signs: {
    project: ['.opencode', 'opencode.json', 'opencode.jsonc'],
    home: ['.config/opencode', '.local/share/opencode'],
    programs: ['opencode'],
  },
  edits: ({ url, model }, { root, keyFile }) => [
    {
      path: join(root, '.opencode', 'opencode.json'),
      holdsKey: false,
      format: 'json',
      accepts: ['comment', 'extra comma', 'byte order mark'],
      members: [
        [['model'], `fairgate/${model}`],
        // For titles. Otherwise it looks for a small model of another provider.
        [['small_model'], `fairgate/${model}`],
        [
          ['provider', 'fairgate'],
          {
            npm: '@ai-sdk/openai-compatible',
            name: 'Fairgate',
            options: { baseURL: `${url}/v1`, apiKey: `{file:${nameKeyFile(root, keyFile)}}` },
            models: { [model]: {} },
          },
        ],
      ],
    },
  ],
  variables: () => ({}),
  stronger: [],
  note: null,
}

/** From the folder of the settings, which may be committed: it then leads to each teammate's own key. A linked work tree has its key elsewhere. */
function nameKeyFile(root: string, keyFile: string): string {
  if (!keyFile.startsWith(`${root}${sep}`)) return keyFile
  return relative(join(root, '.opencode'), keyFile).split(sep).join('/')
}
