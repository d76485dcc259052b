// Turns conditions and phase changes into webhook events, and writes the three message formats that receivers accept. Pure.
import { createHmac } from 'node:crypto'
import type { WebhookEventName, WebhookKind } from '@fairgate/contracts/management/webhooks.ts'
import { showLine } from '@fairgate/contracts/text/show-hidden.ts'
import { formatLocalMoment } from '@fairgate/contracts/text/zoned-time.ts'
import { type Event, gatewayAt, phaseAt } from '../../directory/event/event.ts'
import type { Condition } from '../../insight/attention/condition.ts'
import type { Occurrence } from '../../store/statements/webhooks.ts'

/** As stored until it is sent; its id comes with the delivery. */
export type WebhookEvent = {
  readonly event: WebhookEventName | 'test'
  readonly severity: 'critical' | 'warning' | 'info'
  /** When it began (ISO 8601 in UTC). */
  readonly at: string
  readonly subjects: readonly { readonly kind: string; readonly id: string; readonly name: string }[]
  readonly text: string
  readonly action: string | null
}

export function describeCondition(condition: Condition): Occurrence {
  const { id, kind, severity, since, subjects, text, action } = condition
  const event: WebhookEvent = {
    event: kind,
    severity,
    at: new Date(since).toISOString(),
    subjects,
    text,
    action: action?.command ?? null,
  }
  return {
    conditionId: id,
    kind,
    isOnce: false,
    event: JSON.stringify(event),
    ended: describeEnd(kind, event),
  }
}

/** A low budget ends when it is spent or by an organiser's action, and a pace or refusals pass by themselves: none of that is news. */
const endsSilently: readonly Condition['kind'][] = [
  'budget_low',
  'budget_runs_dry',
  'event_cap_low',
  'event_cap_forecast',
  'refused_often',
]

function describeEnd(kind: Condition['kind'], event: WebhookEvent): Occurrence['ended'] {
  if (endsSilently.includes(kind)) return null
  const ended: WebhookEvent = {
    ...event,
    event: 'condition_ended',
    severity: 'info',
    text: `Over: ${event.text}`,
    action: null,
  }
  return { kind: 'condition_ended', event: JSON.stringify(ended) }
}

/** The event's current state, as an occurrence that is announced when it begins; null if no event is set. */
export function describePhase(event: Event, now: number): Occurrence | null {
  const state = gatewayAt(event, now)
  const phase = phaseAt(event, now)
  if (phase === null && state.kind === 'open') return null
  const showTime = (moment: number) => `${formatLocalMoment(moment, event.timeZone)} (${event.timeZone})`
  const name = event.name === '' ? 'The event' : event.name
  const build = (id: string, at: number, text: string): Occurrence => {
    const reported: WebhookEvent = {
      event: 'phase_changed',
      severity: 'info',
      at: new Date(at).toISOString(),
      subjects: [{ kind: 'event', id: 'event', name }],
      text: `${name}: ${text}`,
      action: null,
    }
    return {
      conditionId: id,
      kind: 'phase_changed',
      isOnce: true,
      event: JSON.stringify(reported),
      ended: null,
    }
  }
  if (state.kind === 'paused')
    return build(`paused:${state.since}`, state.since, `paid calls are paused: ${state.reason}`)
  if (state.kind === 'closed' && state.isEnded)
    return build(
      `ended:${state.since ?? 0}`,
      state.since ?? now,
      'the organisers have ended the event: the gateway is closed and all boards are locked.',
    )
  if (phase !== null) {
    const until = phase.until === null ? '' : `, until ${showTime(phase.until)}`
    const gateway = phase.gateway === 'open' ? 'open' : 'closed'
    return build(
      `phase:${phase.name}:${phase.from}`,
      phase.from,
      `the phase ${phase.name} has begun; the gateway is ${gateway}${until}.`,
    )
  }
  const since = state.kind === 'closed' ? state.since : null
  // Before the first phase there is nothing to announce.
  if (since === null) return null
  return build(`closed:${since}`, since, 'no phase is active; the gateway is closed.')
}

/** Throws for a text that `describeCondition` and `describePhase` did not write. */
export function readEvent(text: string): WebhookEvent {
  return JSON.parse(text)
}

/** The body that is sent. It contains team names, so nothing in it may ping people or control a terminal. */
export function writeMessage(kind: WebhookKind, id: string, event: WebhookEvent): string {
  const line = showLine(event.text)
  if (kind === 'json') return JSON.stringify({ id, ...event, text: line })
  const text = `${marks[event.severity]} ${line}${event.action === null ? '' : `\n${showLine(event.action)}`}`
  if (kind === 'slack')
    return JSON.stringify({ text: escapeSlack(text), unfurl_links: false, unfurl_media: false })
  return JSON.stringify({
    content: [...text].slice(0, maxDiscord).join(''),
    allowed_mentions: { parse: [] },
  })
}

const marks = { critical: '[critical]', warning: '[warning]', info: '[info]' } as const
/** Discord refuses longer messages (Create Message, content: up to 2000 characters). */
const maxDiscord = 1900

/** The three characters that Slack asks to escape; then nothing in a name becomes a mention. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** `v1=` and the HMAC-SHA256 over the time, a full stop and the body, in lower-case hex. `seconds`: as in the timestamp header. */
export function signMessage(secret: string, seconds: number, body: string): string {
  return `v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}
