// What connects an SDK, with this server's addresses. The key is in the environment: only the first line has it. Coding tools are set up by the recorder.

export type Snippet = {
  readonly id: string
  readonly name: string
  /** What to do with it. */
  readonly before: string
  readonly code: string
  readonly after: string
}

export type SnippetFacts = {
  /** Without a slash at its end. */
  readonly base: string
  /** A quick model of those that the key may call. */
  readonly model: string
}

const masked = 'sk-••••••••••••••••'

/** `key`: null while this tab does not hold it; then its last characters stand for it. */
export function exportLine(key: string | null, lastFour: string): string {
  return `export FAIRGATE_KEY=${key ?? masked + lastFour}`
}

/** A quick chat model: a first try should not spend the budget of an hour. */
export function chooseModel(models: readonly { readonly id: string; readonly modality: string }[]): string {
  const chat = models.filter(({ modality }) => modality === 'chat').map(({ id }) => id)
  return chat.find(id => /flash|mini|lite/.test(id)) ?? chat[0] ?? 'mm-2.5-flash'
}

export function listSnippets({ base, model }: SnippetFacts): readonly Snippet[] {
  return [
    {
      id: 'python',
      name: 'Python',
      before: 'pip install openai',
      code: `import os
from openai import OpenAI

client = OpenAI(base_url="${base}/v1", api_key=os.environ["FAIRGATE_KEY"])
answer = client.chat.completions.create(
    model="${model}",
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
  model: '${model}',
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
print(client.models.generate_content(model="${model}", contents="Say hello.").text)`,
      after: '',
    },
    {
      id: 'curl',
      name: 'curl',
      before: 'One call by hand.',
      code: `curl ${base}/v1/chat/completions \\
  -H "Authorization: Bearer $FAIRGATE_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"model":"${model}","messages":[{"role":"user","content":"Say hello."}]}'`,
      after: '',
    },
  ]
}
