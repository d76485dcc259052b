// Decides whether the event accepts paid calls at this moment, and for this model. Its phases decide, by the clock that admits.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { formatZonedMoment } from '@fairgate/contracts/text/zoned-time.ts'
import { type Event, type GatewayState, gatewayAt, phaseAt } from '../../directory/event/event.ts'
import { refuseModel } from './find-model.ts'

export type EventDependencies = {
  readonly event: () => Event
  /** Unix ms. */
  readonly clock: () => number
  readonly observeRefusal: (code: string, level: string) => void
}

/**
 * Checks the moment `now`; the current one if absent. Throws ApiError `contest_closed`, `event_paused` or `model_not_allowed` (403).
 * `modelId` null: not known yet.
 */
export function checkEvent(
  { event: read, clock, observeRefusal }: EventDependencies,
  modelId: string | null,
  now = clock(),
): void {
  const event = read()
  const state = gatewayAt(event, now)
  if (state.kind === 'open') {
    const models = state.phase?.models ?? null
    if (modelId !== null && models !== null && !models.includes(modelId)) throw refuseModel(modelId)
    return
  }
  const refusal = refuse(state, event.timeZone)
  observeRefusal(refusal.code, 'event')
  throw refusal
}

/** The only models allowed in the current phase; null for all. For lists, which also work while the gateway is closed. */
export function modelsOfPhase({ event, clock }: Pick<EventDependencies, 'event' | 'clock'>) {
  return phaseAt(event(), clock())?.models ?? null
}

/** Participants follow the event's own clock, so messages show times in its zone. */
function refuse(state: Exclude<GatewayState, { kind: 'open' }>, timeZone: string): ApiError {
  const show = (moment: number) => formatZonedMoment(moment, timeZone)
  if (state.kind === 'paused') {
    const why = state.reason === '' ? '.' : `: ${state.reason.replace(/[.\s]+$/, '')}.`
    return new ApiError('event_paused', {
      message: `The event has been paused since ${show(state.since)}${why} Calls will work again when it resumes.`,
    })
  }
  return new ApiError('contest_closed', { message: describeClosed(state, show) })
}

function describeClosed(
  { since, opensAt, isEnded }: Extract<GatewayState, { kind: 'closed' }>,
  show: (moment: number) => string,
): string {
  const opening = opensAt === null ? null : `It opens at ${show(opensAt)}.`
  if (since === null) return ['The gateway is not open yet.', opening].filter(part => part !== null).join(' ')
  if (isEnded)
    return `The organisers ended the contest at ${show(since)}: the gateway no longer accepts paid calls.`
  if (opening !== null) return `The gateway closed at ${show(since)}. ${opening}`
  return `The contest ended at ${show(since)}: the gateway no longer accepts paid calls.`
}
