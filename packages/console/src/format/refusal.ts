// Short names for refusal codes, for legends and lists.

const names: Readonly<Record<string, string>> = {
  rpm_exceeded: 'requests per minute',
  tpm_exceeded: 'tokens per minute',
  parallel_exceeded: 'parallel calls',
  budget_exceeded: 'budget spent',
  budget_held: 'budget held by running calls',
  event_budget_exceeded: 'event cap',
  model_not_allowed: 'model not allowed',
  invalid_request: 'invalid request',
  contest_closed: 'gateway closed',
}

/** `rpm_exceeded` → `requests per minute`; a code without its own name loses its underscores. */
export function nameRefusal(code: string): string {
  return names[code] ?? code.replaceAll('_', ' ')
}
