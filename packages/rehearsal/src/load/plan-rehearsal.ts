// Plans the actions of the teams in a rehearsal: which calls, think times, and when everyone pushes.

/** Members of a team who work at the same time. */
export const membersPerTeam = 3

/** A minute of an event: quiet work, then a wave in which everyone calls and pushes, as before a deadline. */
const roundMs = 30_000
const waveMs = 8_000

/** Pause before a member's next call; in a wave, no one reads the reply. */
const thinkMs = 3_000
const thinkInWaveMs = 500

/** Delays of the sandbox before the first byte and between chunks, like a fast model. A real model ignores them. */
export const sandboxDelays = { firstByteMs: 300, chunkMs: 20, chunks: 10 } as const

/** Only the looping team reaches these limits. */
export const teamLimits = { rpm_limit: 300, tpm_limit: 2_000_000 } as const

function isWave(elapsedMs: number): boolean {
  return elapsedMs % roundMs >= roundMs - waveMs
}

/** The number of the current or next wave. */
export function waveOf(elapsedMs: number): number {
  return Math.floor(elapsedMs / roundMs)
}

/** `random` in [0, 1): spreads the pause evenly between half and one and a half times the usual. */
export function thinkFor(elapsedMs: number, isLoop: boolean, random: number): number {
  if (isLoop) return 0
  return (isWave(elapsedMs) ? thinkInWaveMs : thinkMs) * (0.5 + random)
}

export type PlannedCall = { readonly path: string; readonly body: object; readonly isStream: boolean }

export type RehearsalModels = { readonly chat: readonly string[]; readonly embedding: string | null }

/** Of ten calls, six return whole answers, three are streams and one is for embeddings; the models take turns. */
export function planCall(number: number, models: RehearsalModels, prompt: string): PlannedCall {
  const kind = number % 10
  if (kind === 9 && models.embedding !== null)
    return {
      path: '/v1/embeddings',
      body: { model: models.embedding, input: prompt },
      isStream: false,
    }
  const model = models.chat[number % models.chat.length] ?? ''
  const isStream = kind >= 6
  const { firstByteMs, chunkMs, chunks } = sandboxDelays
  const switches = `[[sandbox: firstByteDelayMs=${firstByteMs}; chunkDelayMs=${chunkMs}; chunks=${chunks}; outputTokens=200]]`
  return {
    path: '/v1/chat/completions',
    body: {
      model,
      messages: [{ role: 'user', content: `${prompt} ${switches}` }],
      max_tokens: 400,
      ...(isStream ? { stream: true, stream_options: { include_usage: true } } : {}),
    },
    isStream,
  }
}

/** The entries that a recorder keeps of one agent turn: the prompt, four tool calls with their results, the end. About 1 kB each. */
export function buildEntries(turn: {
  readonly teamId: string
  readonly member: number
  readonly number: number
  readonly now: string
  readonly model: string
}): object[] {
  const { teamId, member, number, now, model } = turn
  const common = {
    ts: now,
    tool: 'claude-code',
    session_id: `${teamId}-${member}`,
    repo: 'rehearsal',
    branch: 'main',
    commit: '4b825dc',
    student: `member-${member}@${teamId}.example`,
    model,
  }
  const text = `Turn ${number} of member ${member}. ${'The tests of the parser fail since the last change. '.repeat(16)}`
  const tools = [0, 1, 2, 3].map(index => ({
    ...common,
    event: 'PostToolUse',
    tool_name: 'Bash',
    tool_input: { command: `npm test -- --shard ${index}`, turn: number },
    tool_response: text,
  }))
  return [
    { ...common, event: 'UserPromptSubmit', prompt: text },
    ...tools,
    { ...common, event: 'Stop', response_summary: text, stop_reason: 'end_turn' },
  ]
}
