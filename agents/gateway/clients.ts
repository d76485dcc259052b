// The agents that run on the gateway, each over the dialect that it speaks, and what a person sees when the gateway refuses.
import type { AgentProgram } from '../programs/agent.ts'
import { createClaude } from '../programs/claude.ts'
import { createCodex } from '../programs/codex.ts'
import { createCopilot } from '../programs/copilot.ts'
import { gemini } from '../programs/gemini.ts'
import { createOpencode } from '../programs/opencode.ts'
import { qwen } from '../programs/qwen.ts'

export const refusals = ['budget', 'blocked'] as const
export type Refusal = (typeof refusals)[number]

/** What an agent does about a refusal. */
export type Reaction =
  /** It gives up after so many attempts and shows these words, ours or its own. */
  | { readonly attempts: number; readonly shows: string }
  /** It goes on asking, with growing pauses, and shows nothing. */
  | 'goes on'

export type Client = {
  /** Two words, by each of which it can be selected: the program and the dialect. */
  readonly name: `${string} ${string}`
  readonly agent: AgentProgram
  /** The path of its calls, as the gateway's document lists it. */
  readonly path: string
  /** Carries the session's id; null where the agent sends none. */
  readonly sessionHeader: string | null
  /** Absent for a further dialect of a program: what it does then is its own, not the dialect's. */
  readonly reactions?: Readonly<Record<Refusal, Reaction>>
}

const budget = 'Budget has been exceeded!'
const blocked = 'Key is blocked.'
const once = (shows: string): Reaction => ({ attempts: 1, shows })

const chat = '/v1/chat/completions'
const vendor = '/v1beta/models/{model}:streamGenerateContent'
const messages = '/v1/messages'
const responses = '/v1/responses'

export const clients: readonly Client[] = [
  {
    name: 'claude messages',
    agent: createClaude('2.1.330', true),
    path: messages,
    sessionHeader: 'x-claude-code-session-id',
    reactions: { budget: once(budget), blocked: once(blocked) },
  },
  {
    name: 'codex responses',
    agent: createCodex({ request: 2, stream: 3 }),
    path: responses,
    sessionHeader: 'session-id',
    // It has words of its own for a quota, and repeats a 401 whatever it is told.
    reactions: { budget: once('Quota exceeded.'), blocked: { attempts: 6, shows: blocked } },
  },
  {
    name: 'gemini vendor',
    agent: gemini,
    path: vendor,
    sessionHeader: null,
    reactions: { budget: once(budget), blocked: once(blocked) },
  },
  {
    name: 'copilot chat',
    agent: createCopilot('chat'),
    path: chat,
    sessionHeader: null,
    reactions: {
      budget: once(budget),
      blocked: { attempts: 3, shows: 'Authentication failed with provider' },
    },
  },
  { name: 'copilot responses', agent: createCopilot('responses'), path: responses, sessionHeader: null },
  { name: 'copilot messages', agent: createCopilot('messages'), path: messages, sessionHeader: null },
  {
    name: 'qwen chat',
    agent: qwen,
    path: chat,
    sessionHeader: null,
    reactions: { budget: 'goes on', blocked: once(blocked) },
  },
  {
    name: 'opencode chat',
    agent: createOpencode('chat'),
    path: chat,
    sessionHeader: 'x-session-id',
    reactions: { budget: 'goes on', blocked: once(blocked) },
  },
  {
    name: 'opencode responses',
    agent: createOpencode('responses'),
    path: responses,
    sessionHeader: 'x-session-id',
  },
  {
    name: 'opencode messages',
    agent: createOpencode('messages'),
    path: messages,
    sessionHeader: 'x-session-id',
  },
  { name: 'opencode vendor', agent: createOpencode('vendor'), path: vendor, sessionHeader: 'x-session-id' },
]
