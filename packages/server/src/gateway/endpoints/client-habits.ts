// Clients that break on a reply of the specification's form, and what each gets instead. Nothing else may change a reply for a single
// client. docs/clients.md shows this table; `npm run test:clients` runs each client on the form that it gets.

type ClientHabit = {
  readonly who: string
  /** The headers that the client really sends, seen on a recording server. They can be forged, which must change nothing but the form. */
  readonly recognisedBy: string
  readonly fits: (headers: Headers) => boolean
  /** The form that the client gets instead, and why. */
  readonly differs: string
  /** Version and date of the observation. */
  readonly source: string
  /** The change in the client that makes the entry unnecessary. */
  readonly until: string
}

const table = {
  pollHelper: {
    who: "OpenAI's poll helper (`videos.poll`, `create_and_poll`)",
    recognisedBy: '`x-stainless-poll-helper: true`',
    fits: headers => headers.get('x-stainless-poll-helper') === 'true',
    differs:
      '`GET /v1/videos/{id}` says `in_progress` instead of `processing`. The helper waits only for the states that it knows, and returns an unfinished video as if it were the result.',
    source: 'openai-python 3.54.0, November 2026',
    until: 'the helper waits for every state that is neither `completed` nor `failed`',
  },
  langChainJs: {
    who: 'LangChain JS (`@langchain/openai`)',
    recognisedBy: '`user-agent: langchainjs-openai/…`',
    fits: headers => /^langchainjs-openai\//.test(headers.get('user-agent') ?? ''),
    differs:
      '`POST /v1/chat/completions` leaves out `message.images` when it is empty. With the empty array, `withStructuredOutput` fails on every call.',
    source: '@langchain/openai 1.5.8, November 2026',
    until: '`withStructuredOutput` accepts an empty `message.images`',
  },
  retryingAgents: {
    who: 'Codex and opencode',
    recognisedBy: '`originator`, or `user-agent` without it, that begins with `codex` or `opencode`',
    fits: headers =>
      /^(?:codex|opencode)/i.test(headers.get('originator') ?? headers.get('user-agent') ?? ''),
    differs:
      '`POST /v1/responses` reports some errors with the status and code that stops or paces their retries. They ignore `x-should-retry`, which others respect.',
    source: 'Codex CLI 0.169.0 and opencode 1.18.33, November 2026 (docs/decisions/021-dialects.md)',
    until: 'they respect `x-should-retry`',
  },
} satisfies Record<string, ClientHabit>

export const clientHabits: Readonly<Record<keyof typeof table, ClientHabit>> = table
