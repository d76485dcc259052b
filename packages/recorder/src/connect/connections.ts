// Connection recipes that make each AI tool call models through the gateway: data and pure functions.
import { join, relative, sep } from 'node:path'
import type { ConnectableTool } from '@fairgate/contracts/agents/known-tools.ts'
import { codexConfigPath } from '../install/settings/recipes/codex-trust.ts'
import type { ConnectionRecipe, Gateway } from './recipe.ts'

const nothing = { variables: () => ({}), stronger: [], note: null }

export const connections: Readonly<Record<ConnectableTool, ConnectionRecipe>> = {
  /** Claude Code: the `env` of the settings that belong to this work tree alone. Seen to work with 2.1.330, also from a subfolder. */
  claude: {
    ...nothing,
    signs: { project: ['.claude', 'CLAUDE.md'], home: ['.claude'], programs: ['claude'] },
    edits: (gateway, { root }) => [
      {
        path: join(root, '.claude', 'settings.local.json'),
        holdsKey: true,
        format: 'json',
        accepts: ['byte order mark'],
        members: Object.entries(listClaudeVariables(gateway)).map(([name, value]) => [['env', name], value]),
      },
    ],
    variables: listClaudeVariables,
    // Its settings replace what the shell has set.
  },
  /** Codex: a provider of its own in the user's config.toml. Codex 0.169.0 ignores providers in the settings of a project, and says so. */
  codex: {
    ...nothing,
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
              // In the file, so that no one has to export a variable.
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
    note: 'Its setting is in your own config.toml, so Codex uses the gateway in every folder until "fairgate-recorder disconnect".',
  },
  /** Gemini CLI: the key and the address in the project's `.gemini/.env`, the kind of login and the model in its settings. Seen to work with 0.61.0. */
  gemini: {
    signs: { project: ['.gemini', 'GEMINI.md'], home: ['.gemini'], programs: ['gemini'] },
    edits: (gateway, { root }) => [
      {
        path: join(root, '.gemini', '.env'),
        holdsKey: true,
        format: 'env',
        variables: listGeminiVariables(gateway),
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
    variables: listGeminiVariables,
    stronger: ['GEMINI_API_KEY', 'GOOGLE_GEMINI_BASE_URL', 'GEMINI_MODEL'],
    note: 'With -p Gemini CLI does not ask: set GEMINI_CLI_TRUST_WORKSPACE=true.',
  },
  /** GitHub Copilot CLI: it takes a provider of one's own from variables alone. Version 1.0.102 reads none from a file. */
  copilot: {
    ...nothing,
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
    note: 'Copilot CLI reads the gateway from variables alone: start it with "fairgate-recorder run copilot".',
  },
  /** opencode: a provider in the project's `.opencode/opencode.json`, which names the file of the key instead of holding it. Seen to work with 1.18.33. */
  opencode: {
    ...nothing,
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
  },
  /** Qwen Code: the key and the address in the project's `.qwen/.env`, the kind of login and the model in its settings. Seen to work with 0.24.4. */
  qwen: {
    signs: { project: ['.qwen', 'QWEN.md'], home: ['.qwen'], programs: ['qwen'] },
    edits: (gateway, { root }) => [
      {
        path: join(root, '.qwen', '.env'),
        holdsKey: true,
        format: 'env',
        variables: listQwenVariables(gateway),
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
    variables: listQwenVariables,
    stronger: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL'],
    note: 'Start Qwen Code at the top of this repository: elsewhere it does not read these settings.',
  },
  /** pi: a provider in the user's list of models, chosen in the settings of the project. Seen to work with 0.74.2. */
  pi: {
    ...nothing,
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
  },
}

function listClaudeVariables({ url, key, model }: Gateway): Record<string, string> {
  return {
    // Without /v1, which Claude Code adds by itself.
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_AUTH_TOKEN: key,
    ANTHROPIC_MODEL: model,
    // The names that it uses by itself for small tasks and subagents.
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
    ANTHROPIC_DEFAULT_SONNET_MODEL: model,
    ANTHROPIC_DEFAULT_OPUS_MODEL: model,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // Auto mode lets its maker's server check actions otherwise, which no gateway can, and 2.1.331 then refuses every one of them. With 0 it
    // asks the model.
    CLAUDE_CODE_AUTO_MODE_SERVER: '0',
  }
}

/** It adds `/v1beta/models/…` to the address. */
function listGeminiVariables({ url, key, model }: Gateway): Record<string, string> {
  return { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url, GEMINI_MODEL: model }
}

/** From the folder of the settings, which may be committed: it then leads to each teammate's own key. A linked work tree has its key elsewhere. */
function nameKeyFile(root: string, keyFile: string): string {
  if (!keyFile.startsWith(`${root}${sep}`)) return keyFile
  return relative(join(root, '.opencode'), keyFile).split(sep).join('/')
}

function listQwenVariables({ url, key, model }: Gateway): Record<string, string> {
  return { OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: model }
}
