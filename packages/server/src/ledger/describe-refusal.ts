// The sentence that names the limit which refused a call: its 429 says it, and so does the record of the call afterwards.
import type { RefusalFigures } from '@fairgate/contracts/errors/api-error.ts'
import type { LimitLevel, Refusal } from './admission.ts'

const levelNames: Readonly<Record<LimitLevel, string>> = {
  service_model: 'the service for this model',
  team: 'the team',
  team_model: 'the team for this model',
  key: 'the key',
  key_model: 'the key for this model',
  event: 'the event, over all teams,',
}

export function describeRefusal(
  code: Refusal['code'],
  level: LimitLevel,
  { limit, used, held, reset: resetAt }: Omit<RefusalFigures, 'level'>,
): string {
  const whose = levelNames[level]
  const reset = resetAt === null ? '' : ` Resets at ${resetAt}.`
  switch (code) {
    case 'budget_exceeded':
      return `Budget has been exceeded! The budget of ${whose} is ${limit} USD, ${used} USD are spent, and this call could cost more than the rest.${reset}`
    case 'budget_held':
      return `The budget of ${whose} is ${limit} USD, ${used} USD are spent and ${held} USD are held by running calls. Try again when they have ended.`
    case 'rpm_exceeded':
      return `Rate limit exceeded for ${whose}. Limit type: requests per minute. Limit: ${limit}, used: ${used}.${reset}`
    case 'tpm_exceeded':
      return `Rate limit exceeded for ${whose}. Limit type: tokens per minute. Limit: ${limit}, used or reserved: ${used}.${reset}`
    case 'parallel_exceeded':
      return `Rate limit exceeded for ${whose}. Limit type: max_parallel_requests. Limit: ${limit}, running: ${used}.`
  }
}

/** Whether a record holds the figures of such a refusal: a code of a limit, and a level that there is. */
export function isLevel(text: string): text is LimitLevel {
  return Object.hasOwn(levelNames, text)
}
