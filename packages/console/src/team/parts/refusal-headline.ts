// Short descriptions of refusal codes.

const headlines: Readonly<Record<string, string>> = {
  rpm_exceeded: 'too many requests',
  tpm_exceeded: 'too many tokens in a minute',
  parallel_exceeded: 'too many parallel calls',
  budget_held: 'the rest of the budget is held by running calls',
  budget_exceeded: 'not enough budget left',
  model_not_allowed: 'your team cannot use this model',
  model_not_found: 'no such model',
  contest_closed: 'the gateway is closed',
  event_paused: 'the organisers have paused the event',
  key_blocked: 'the key is blocked',
  team_blocked: 'the team is blocked',
  invalid_request: 'the request is invalid',
  upstream_rate_limited: 'the model provider is busy',
  upstream_error: 'the model provider failed',
}

export function refusalHeadline(code: string | null): string {
  return code === null ? 'refused' : (headlines[code] ?? code.replaceAll('_', ' '))
}
