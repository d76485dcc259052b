// The codes of refusals in a few words.

const headlines: Readonly<Record<string, string>> = {
  rpm_exceeded: 'too many requests',
  tpm_exceeded: 'too many tokens in a minute',
  parallel_exceeded: 'too many calls at once',
  budget_held: 'money is set aside for running calls',
  budget_exceeded: 'not enough is left for it',
  model_not_allowed: 'your team may not use this model',
  model_not_found: 'there is no such model here',
  contest_closed: 'the contest is closed',
  event_paused: 'the organisers have paused the event',
  key_blocked: 'the key is blocked',
  team_blocked: 'the team is blocked',
  invalid_request: 'the request was not valid',
  upstream_rate_limited: "the model's provider is busy",
  upstream_error: "the model's provider failed",
}

export function refusalHeadline(code: string | null): string {
  return code === null ? 'refused' : (headlines[code] ?? code.replaceAll('_', ' '))
}
