// Setup snippets for each tool, with this server's addresses. They read the key from the environment, which only the first line sets.

export type Snippet = {
  readonly id: string
  readonly name: string
  /** Instructions shown above the code. */
  readonly before: string
  readonly code: string
  readonly after: string
}

export type SnippetFacts = {
  /** Without a trailing slash. */
  readonly base: string
  /** A large model and a quick one, from those the key can call. */
  readonly model: string
  readonly quickModel: string
}

const masked = 'sk-••••••••••••••••'

/** `key`: null if this tab does not hold it. The line then has dots and its last four characters. */
export function exportLine(key: string | null, lastFour: string): string {
  return `export FAIRGATE_KEY=${key ?? masked + lastFour}`
}

/** One line to paste in a repository. It installs the recorder and passes it the token. */
export function recorderLine(logbook: string, token: string, isWindows: boolean): string {
  const init = `init --url ${logbook} --token-stdin`
  return isWindows
    ? `$env:FAIRGATE_NEXT='no'; irm ${logbook}/recorder/install.ps1 | iex; '${token}' | & "$env:LOCALAPPDATA\\fairgate-recorder\\fairgate-recorder.cmd" ${init}`
    : `curl -fsSL ${logbook}/recorder/install.sh | FAIRGATE_NEXT=no sh && echo ${token} | ~/.local/bin/fairgate-recorder ${init}`
}

/** Picks chat models: `model` prefers names with `pro`, `quickModel` names with `flash`. */
export function chooseModels(
  models: readonly { readonly id: string; readonly modality: string }[],
): Pick<SnippetFacts, 'model' | 'quickModel'> {
  const chat = models.filter(({ modality }) => modality === 'chat').map(({ id }) => id)
  const model = chat.find(id => id.includes('pro')) ?? chat[0] ?? 'mm-2.5-flash'
  return { model, quickModel: chat.find(id => id.includes('flash')) ?? model }
}

export function listSnippets({ base, model, quickModel }: SnippetFacts): readonly Snippet[] {
  return [
    {
      id: 'codex',
      name: 'Codex',
      before: 'Add this to ~/.codex/config.toml. A project file cannot name a provider.',
      code: `model = "${model}"
model_provider = "fairgate"

[model_providers.fairgate]
name = "Fairgate"
base_url = "${base}/v1"
env_key = "FAIRGATE_KEY"
wire_api = "responses"`,
      after: 'Then start codex.',
    },
    {
      id: 'claude',
      name: 'Claude Code',
      before: 'Run this in the shell. It unsets ANTHROPIC_API_KEY, which would take precedence.',
      code: `unset ANTHROPIC_API_KEY
export ANTHROPIC_BASE_URL=${base}
export ANTHROPIC_AUTH_TOKEN=$FAIRGATE_KEY
export ANTHROPIC_MODEL=${model}
export ANTHROPIC_DEFAULT_HAIKU_MODEL=${quickModel}
export CLAUDE_CODE_AUTO_MODE_SERVER=0
claude`,
      after: 'The base URL has no /v1.',
    },
    {
      id: 'gemini',
      name: 'Gemini CLI',
      before: 'Run this in the shell.',
      code: `export GOOGLE_GEMINI_BASE_URL=${base}
export GEMINI_API_KEY=$FAIRGATE_KEY
gemini -m ${quickModel}`,
      after:
        'Choose "Use Gemini API Key" when asked. With -p it does not ask; fairgate-recorder connect saves that choice.',
    },
    {
      id: 'opencode',
      name: 'opencode',
      before: 'Add this to opencode.json, then start opencode.',
      code: JSON.stringify(
        {
          $schema: 'https://opencode.ai/config.json',
          provider: {
            fairgate: {
              npm: '@ai-sdk/openai-compatible',
              name: 'Fairgate',
              options: { baseURL: `${base}/v1`, apiKey: '{env:FAIRGATE_KEY}' },
              models: Object.fromEntries([...new Set([model, quickModel])].map(id => [id, {}])),
            },
          },
        },
        null,
        2,
      ),
      after: '',
    },
    {
      id: 'python',
      name: 'Python',
      before: 'pip install openai',
      code: `import os
from openai import OpenAI

client = OpenAI(base_url="${base}/v1", api_key=os.environ["FAIRGATE_KEY"])
answer = client.chat.completions.create(
    model="${quickModel}",
    messages=[{"role": "user", "content": "Say hello."}],
)
print(answer.choices[0].message.content)`,
      after: '',
    },
    {
      id: 'javascript',
      name: 'JavaScript',
      before: 'npm install openai',
      code: `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${base}/v1', apiKey: process.env.FAIRGATE_KEY })
const answer = await client.chat.completions.create({
  model: '${quickModel}',
  messages: [{ role: 'user', content: 'Say hello.' }],
})
console.log(answer.choices[0].message.content)`,
      after: '',
    },
    {
      id: 'vendor',
      name: 'Vendor SDK',
      before: 'pip install google-genai',
      code: `import os
from google import genai

client = genai.Client(api_key=os.environ["FAIRGATE_KEY"], http_options={"base_url": "${base}/vendor"})
print(client.models.generate_content(model="${quickModel}", contents="Say hello.").text)`,
      after: '',
    },
    {
      id: 'curl',
      name: 'curl',
      before: 'A single call.',
      code: `curl ${base}/v1/chat/completions \\
  -H "Authorization: Bearer $FAIRGATE_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"model":"${quickModel}","messages":[{"role":"user","content":"Say hello."}]}'`,
      after: '',
    },
  ]
}
