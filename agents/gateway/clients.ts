// The agents that run on the gateway, each over the dialect that it speaks, and what a person sees when the gateway refuses.
import type { Agent, AgentProgram } from '../programs/agent.ts'
import { createClaude } from '../programs/claude.ts'
import { createCodex } from '../programs/codex.ts'
import { createCopilot } from '../programs/copilot.ts'
import { gemini } from '../programs/gemini.ts'
import { createOpencode } from '../programs/opencode.ts'
import { qwen } from '../programs/qwen.ts'
import { withExportsOfPage, withProjectOfPage, withSettingsOfPage } from './from-page.ts'

export const refusals = ['budget', 'blocked'] as const
export type Refusal = (typeof refusals)[number]

/** What an agent does about a refusal. */
export type Reaction = {
  /** How often it asks, the first time included, before it gives up. Some do not give up within two minutes. */
  readonly attempts: number | 'goes on'
  /** Words on its screen, ours or its own. */
  readonly shows: string
}

/** `body`: somewhere in its text, to be found only by whoever knows the id. */
export type SessionPlace = { readonly header: string } | 'body'

/** A call without tools, a last item `compaction_trigger`, or the endpoint for it. */
export type Compaction = 'call' | 'trigger' | 'endpoint'

export type Client = {
  /** Two words, by each of which it can be selected: the program and the dialect, or `page` where it is set up as the team's page says. */
  readonly name: `${string} ${string}`
  /** With the recorder where it knows the program. */
  readonly agent: AgentProgram | Agent
  /** Where its calls carry the id of the session; null where the agent sends none. */
  readonly session: SessionPlace | null
  /** How it asks for a summary when its conversation has become too long, for the situation `compacts`. */
  readonly compaction?: Compaction
  /** Absent for a further dialect of a program: what it does then is its own, not the dialect's. */
  readonly reactions?: Readonly<Record<Refusal, Reaction>>
}

const budget = 'Budget has been exceeded!'
const blocked = 'Key is blocked.'
const once = (shows: string): Reaction => ({ attempts: 1, shows })

export const clients: readonly Client[] = [
  {
    name: 'claude messages',
    agent: createClaude('2.1.331', true),
    session: { header: 'x-claude-code-session-id' },
    reactions: { budget: once(budget), blocked: once(blocked) },
  },
  {
    name: 'codex responses',
    agent: createCodex({ request: 2, stream: 3 }),
    session: { header: 'session-id' },
    compaction: 'call',
    // It repeats a 401 whatever it is told: once, and as often as a stream.
    reactions: { budget: once(budget), blocked: { attempts: 4, shows: blocked } },
  },
  {
    name: 'codex builtin',
    agent: createCodex({ request: 2, stream: 3 }, { isBuiltIn: true }),
    session: { header: 'session-id' },
    compaction: 'trigger',
  },
  {
    // The last version found that has the endpoint; 0.156.1 no longer names it.
    name: 'codex older',
    agent: createCodex({ request: 2, stream: 3 }, { version: '0.150.1', isBuiltIn: true }),
    session: { header: 'session-id' },
    compaction: 'endpoint',
  },
  {
    name: 'gemini vendor',
    agent: gemini,
    session: null,
    reactions: { budget: once(budget), blocked: once(blocked) },
  },
  {
    name: 'copilot chat',
    agent: createCopilot('chat'),
    session: 'body',
    reactions: {
      budget: once(budget),
      blocked: { attempts: 3, shows: 'Authentication failed with provider' },
    },
  },
  { name: 'copilot responses', agent: createCopilot('responses'), session: 'body' },
  { name: 'copilot messages', agent: createCopilot('messages'), session: 'body' },
  {
    name: 'qwen chat',
    agent: qwen,
    session: null,
    reactions: { budget: { attempts: 'goes on', shows: budget }, blocked: once(blocked) },
  },
  {
    name: 'opencode chat',
    agent: createOpencode('chat'),
    session: { header: 'x-session-id' },
    reactions: { budget: { attempts: 6, shows: budget }, blocked: once(blocked) },
  },
  {
    name: 'opencode responses',
    agent: createOpencode('responses'),
    session: { header: 'x-session-id' },
  },
  {
    name: 'opencode messages',
    agent: createOpencode('messages'),
    session: { header: 'x-session-id' },
  },
  { name: 'opencode vendor', agent: createOpencode('vendor'), session: { header: 'x-session-id' } },
  {
    name: 'claude page',
    agent: withExportsOfPage(createClaude('2.1.331', true), 'claude', /^ANTHROPIC_/),
    session: { header: 'x-claude-code-session-id' },
  },
  {
    name: 'codex page',
    agent: withSettingsOfPage(createCodex({ request: 2, stream: 3 })),
    session: { header: 'session-id' },
  },
  { name: 'gemini page', agent: withExportsOfPage(gemini, 'gemini', /^(GEMINI|GOOGLE)_/), session: null },
  {
    name: 'opencode page',
    agent: withProjectOfPage(createOpencode('chat')),
    session: { header: 'x-session-id' },
  },
]
